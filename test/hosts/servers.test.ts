import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostConfigurations } from "../../src/hosts/hosts.ts";
import { typeOfPath } from "../../src/lib/content-type.ts";
import { headersOf } from "../../src/routes/headers.ts";
import {
  type Answer,
  ask,
  describeHost,
  freePort,
  type RunningHost,
  type ServerName,
  serverNames,
} from "../support/web-servers.ts";
import { type Archive, expectedOf, handmade, namesIn, pressed } from "./expected.ts";
import { startHost } from "./servers.ts";
import { anyTarget, knownTargets, unusualTargets } from "./targets.ts";

const archives = {
  plain: () => pressed("plain"),
  odd: () => pressed("odd"),
  handmade: () => handmade(),
  "many names": () => handmade(60),
};

for (const [archiveName, make] of Object.entries(archives)) {
  describe(`${archiveName} archive`, () => {
    let archive: Archive;
    beforeAll(async () => {
      archive = await make();
    });
    afterAll(() => archive.remove());
    for (const host of serverNames) {
      describeHost(host, "lists rewritten", () => testsOf(host, () => archive, false));
      describeHost(host, "lists redirected", () => testsOf(host, () => archive, true));
      if (archiveName === "plain") describeHost(host, "HTTP", () => httpTests(host, () => archive));
    }
  });
}

function testsOf(host: ServerName, archive: () => Archive, redirects: boolean): void {
  let running: RunningHost;
  let served: Archive;
  beforeAll(async () => {
    served = { ...archive(), input: { ...archive().input, redirects } };
    running = await startHost(host, served);
  });
  afterAll(() => running?.close());

  async function differences(targets: Iterable<string>): Promise<string[]> {
    const found: string[] = [];
    const left = new Set(targets).values();
    const askOn = async (): Promise<void> => {
      for (const target of left) {
        const difference = await differenceOf(host, running, served, target);
        if (difference !== undefined) found.push(difference);
      }
    };
    await Promise.all(Array.from({ length: 8 }, askOn));
    return found;
  }

  it("answers every URL of the archive with its file", async () => {
    expect(await differences(knownTargets(served))).toEqual([]);
  });

  it("answers unusual requests as the rules say", async () => {
    expect(await differences(unusualTargets(served))).toEqual([]);
  });

  it("answers any query as the rules say", async () => {
    const { FUZZ_RUNS: runs = "500", FUZZ_SEED: seed = "1" } = process.env;
    const parameters = { numRuns: Number(runs), seed: Number(seed) };
    expect(await differences(fc.sample(anyTarget(served), parameters))).toEqual([]);
  });
}

function httpTests(host: ServerName, archive: () => Archive): void {
  let running: RunningHost;
  let root: string;
  let image: string;
  beforeAll(async () => {
    const served = { ...archive(), input: { ...archive().input, redirects: false } };
    running = await startHost(host, served);
    root = `/${served.input.rules.root}`;
    image = `${root}/images/${namesIn(served, `${root}/images/by/width/320`)[0]}.jpg?width=320`;
  });
  afterAll(() => running?.close());

  // Told once more in words, apart from what the other tests work out from the rules.
  it.each([
    ["/articles", 200, "articles/index.json"],
    ["/articles/?page=2", 200, "articles/page/2.json"],
    ["/articles?page=99", 404, "404.json"],
    ["/articles?page=01", 404, "404.json"],
    ["/articles?page=&page=2", 200, "articles/index.json"],
    ["/articles?year=1066", 200, "articles/by/none.json"],
    ["/articles?year=x", 404, "404.json"],
    ["/articles?month=x", 200, "articles/index.json"],
    ["/articles?tags=,,nothing%2C", 200, "articles/by/none.json"],
    ["/articles?tags=one,one", 404, "404.json"],
    ["/articles?tags=one,two", 404, "404.json"],
    ["/articles?category=nothing&tags=one", 404, "404.json"],
    ["/articles/page/2.json?page=3", 200, "articles/page/2.json"],
    ["/tags?page=7", 200, "tags/index.json"],
    ["/articles/by/", 404, "404.json"],
    ["/Articles", 404, "404.json"],
    ["/articles/index", 404, "404.json"],
    ["/a%20b", 404, "404.json"],
    ["/./articles", 400, undefined],
    ["/%2E%2e/x", 400, undefined],
    ["/a%5cb", 400, undefined],
    ["//articles", 404, "404.json"],
    [`/articles?x=${"x".repeat(8_000)}`, 414, undefined],
  ])("answers %s with %i and %s", async (path, status, file) => {
    const answer = await ask(running.url, root + path);
    expect(answer.status).toBe(status);
    if (file === undefined) return;
    expect(answer.headers["content-type"]).toBe("application/json");
    const expected = readFileSync(join(archive().publicRoot, root, file), "utf8");
    expect(String(answer.body)).toBe(expected);
  });

  it.each([
    ["width=1", "by/width/320/"],
    ["width=320.4", "by/width/320/"],
    ["width=320.5", "by/width/640/"],
    ["width=641", ""],
    ["width=99999", "by/scale/100/"],
    ["width=600&height=400", "by/width/600/height/400/"],
    ["height=400&width=600&scale=1", "by/width/600/height/400/"],
    ["width=320&scale=1", "by/width/320/"],
    ["width=299&height=300", "by/thumb/square/"],
    ["scale=51", "by/scale/100/"],
    ["height=481", "by/scale/100/"],
    ["thumb=l&width=320", "by/thumb/landscape/"],
    ["orientation=p&thumb=1", "by/thumb/portrait/"],
    ["orientation=p", ""],
    ["thumb=&width=0", ""],
  ])("answers an image with %s with that in %s", async (query, folder) => {
    const answer = await ask(running.url, image.replace(/\?.*/, `?${query}`));
    const path = image.replace(/^.*\/|\?.*$/g, "");
    const file = readFileSync(join(archive().publicRoot, root, "images", folder, path));
    expect([answer.status, answer.body.equals(file)]).toEqual([200, true]);
  });

  it("answers HEAD as GET, without a body", async () => {
    for (const target of ["/", `${root}/articles`, image, "/nothing", `${root}/nothing`]) {
      const get = await ask(running.url, target);
      const head = await ask(running.url, target, { method: "HEAD" });
      expect([head.status, head.body.length]).toEqual([get.status, 0]);
      for (const name of ["content-type", "cache-control", "etag"]) {
        expect(head.headers[name], `${target} ${name}`).toBe(get.headers[name]);
      }
    }
  });

  it("answers OPTIONS below the mirror root for programs of other sites", async () => {
    for (const path of ["/articles", "/articles/x?page=1", "", "/nothing", "/images/x.jpg"]) {
      const answer = await ask(running.url, `${root}${path}`, { method: "OPTIONS" });
      expect(answer.status, path).toBe(204);
      for (const [name, value] of Object.entries(archive().input.preflight)) {
        expect(answer.headers[name.toLowerCase()], name).toBe(value);
      }
    }
    expect((await ask(running.url, "/", { method: "OPTIONS" })).status).toBe(405);
  });

  it.each(["POST", "PUT", "DELETE", "PATCH"])("refuses %s", async (method) => {
    for (const path of [`${root}/articles`, `${root}/tags/index.json`, `${root}/nothing`, image]) {
      const answer = await ask(running.url, path, { method });
      expect([answer.status, allowed(answer)], path).toEqual([405, ["GET", "HEAD", "OPTIONS"]]);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
    }
    for (const path of ["/", "/nothing", "/articles/"]) {
      const answer = await ask(running.url, path, { method });
      expect([answer.status, allowed(answer)], path).toEqual([405, ["GET", "HEAD"]]);
    }
  });

  it("sends parts of files, and nothing that the client has", async () => {
    for (const target of [image, `${root}/articles`, `${root}/articles/index.json`, "/"]) {
      const whole = await ask(running.url, target);
      const part = await ask(running.url, target, { headers: { Range: "bytes=2-5" } });
      expect(part.status, target).toBe(206);
      expect(part.headers["content-range"]).toBe(`bytes 2-5/${whole.body.length}`);
      expect(part.body.equals(whole.body.subarray(2, 6))).toBe(true);
      const end = await ask(running.url, target, { headers: { Range: "bytes=99999999-" } });
      expect(end.status).toBe(416);
      const { etag = "", "last-modified": modified = "" } = whole.headers;
      expect(etag).not.toBe("");
      for (const [name, value] of [
        ["If-None-Match", etag],
        ["If-Modified-Since", modified],
      ] as const) {
        const fresh = await ask(running.url, target, { headers: { [name]: value } });
        expect([fresh.status, fresh.body.length], target).toEqual([304, 0]);
        expect(fresh.headers["cache-control"]).toBe(whole.headers["cache-control"]);
      }
    }
  });

  it("says not found also to a client that has the page which says so", async () => {
    const { headers } = await ask(running.url, "/404.html");
    for (const name of ["etag", "last-modified"] as const) {
      const field = name === "etag" ? "If-None-Match" : "If-Modified-Since";
      const known = { [field]: headers[name] ?? "" };
      expect((await ask(running.url, "/nothing", { headers: known })).status).toBe(404);
    }
  });

  it("compresses text, not images", async () => {
    const accepted = { "Accept-Encoding": "gzip" };
    for (const target of [`${root}/articles`, "/"]) {
      const list = await ask(running.url, target, { headers: accepted });
      expect(list.headers["content-encoding"]).toBe("gzip");
      expect(list.headers.vary?.toLowerCase()).toContain("accept-encoding");
      const headers = { ...accepted, "If-None-Match": list.headers.etag ?? "" };
      expect((await ask(running.url, target, { headers })).status).toBe(304);
    }
    const { headers } = await ask(running.url, image, { headers: accepted });
    expect(headers["content-encoding"]).toBeUndefined();
  });
}

/** Methods of an Allow header; empty elements of a list mean nothing. */
function allowed({ headers }: Answer): string[] {
  return (headers.allow ?? "").split(/[,\s]+/).filter((method) => method !== "");
}

/** What a server answers by itself, before it looks at its configuration. */
function ownStatus(host: ServerName, archive: Archive, target: string): number | undefined {
  const [path = ""] = target.split("?");
  if (host === "apache" && /[^/]{256}/.test(path)) return 403;
  // Caddy leaves out parameters with a percent sign that begins no escape.
  const escaped = target.replaceAll(/%[\da-f]{2}/gi, "");
  if (host === "caddy" && /\?.*%/.test(escaped) && isBelow(archive, path)) return 404;
  if (host !== "nginx" || !/^\/[\w.]+$/.test(path)) return undefined;
  return existsSync(join(archive.publicRoot, path)) && target === path ? 301 : undefined;
}

function isBelow({ input }: Archive, path: string): boolean {
  return path.startsWith(`/${input.rules.root}/`);
}

/** What of an answer differs from what the rules say; undefined where nothing does. */
async function differenceOf(
  host: ServerName,
  { url }: RunningHost,
  archive: Archive,
  target: string,
): Promise<string | undefined> {
  const expected = expectedOf(archive, target);
  const answer = await ask(url, target).catch((error: Error) => error);
  const told = (text: string): string =>
    `${target.slice(0, 300)}: expected ${expected.status} ${expected.file ?? ""}, got ${text}`;
  if (answer instanceof Error) return told(answer.message);
  const { headers, status } = answer;
  if (ownStatus(host, archive, target) === status) return undefined;
  if (status !== expected.status) {
    return told(`${status} ${headers.location ?? ""} ${answer.body.subarray(0, 100)}`);
  }
  if (expected.file === undefined) return undefined;
  // Apache looks for escaped slashes before it looks for its configuration among the files.
  if (host === "apache" && /^[^?]*%2f/i.test(target)) return undefined;
  if (status > 300 && status < 400) {
    const search = status === 301 && target.includes("?") ? target.replace(/^[^?]*/, "") : "";
    // Apache makes whole addresses of them.
    const location = (headers.location ?? "").replace(host === "apache" ? url : "", "");
    return location === `/${expected.file}${search}` ? undefined : told(location);
  }
  const body = readFileSync(join(archive.publicRoot, expected.file));
  if (!answer.body.equals(body)) return told(String(answer.body.subarray(0, 100)));
  const wanted: Record<string, string | undefined> = {
    "Content-Type": typeOfPath(expected.file),
    "Access-Control-Allow-Origin": undefined,
    ...headersOf(expected.file, archive.input.headers),
  };
  for (const [name, value] of Object.entries(wanted)) {
    const sent = headers[name.toLowerCase()];
    if (sent !== value) return told(`${name}: ${sent} instead of ${value}`);
  }
  return undefined;
}

describe("an archive without lists by tag", () => {
  for (const host of serverNames) {
    describeHost(host, "requests for a tag", () => {
      it("are answered with 404, and not with all articles", async () => {
        const { publicRoot, input, remove } = handmade();
        const rules = { ...input.rules, filters: ["year"] };
        const running = await startHost(host, { publicRoot, input: { ...input, rules } });
        const statusOf = async (query: string): Promise<number> =>
          (await ask(running.url, `/${rules.root}/articles${query}`)).status;
        expect(await statusOf("")).toBe(200);
        expect(await statusOf("?tags=,")).toBe(200);
        expect(await statusOf("?tags=sport")).toBe(404);
        await running.close();
        remove();
      });
    });
  }
});

describe("examples of whole configurations", () => {
  let archive: Archive;
  beforeAll(() => {
    archive = handmade();
  });
  afterAll(() => archive.remove());

  /** Writes the files of a host, with paths of this machine. */
  async function place(host: ServerName): Promise<string> {
    const folder = archive.publicRoot;
    for (const { path, content } of hostConfigurations[host](archive.input).files) {
      const placed = content
        .replaceAll(/\/srv\/archive\/[\w/]+?(?=[;\n]|\/stillpress)/g, folder)
        .replace("listen 80", `listen 127.0.0.1:${await freePort()}`);
      writeFileSync(join(folder, path), placed);
    }
    return folder;
  }

  describeHost("nginx", "nginx.conf.example", () => {
    it("is a valid configuration", async () => {
      const folder = await place("nginx");
      const file = join(folder, "nginx.conf.example");
      const directives = `pid ${folder}/nginx.pid;`;
      execFileSync("nginx", ["-t", "-q", "-e", "stderr", "-g", directives, "-c", file], {
        stdio: "pipe",
      });
    });
  });

  describeHost("caddy", "Caddyfile.example", () => {
    it("is a valid configuration", async () => {
      const folder = await place("caddy");
      const file = join(folder, "Caddyfile.example");
      execFileSync("caddy", ["adapt", "--validate", "--config", file, "--adapter", "caddyfile"], {
        stdio: "pipe",
        env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      });
    });
  });
});

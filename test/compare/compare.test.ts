import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiClient, createClient } from "../../src/api/client.ts";
import { compareMirror, type Difference, learnOrigin } from "../../src/compare/compare.ts";
import { loadConfig } from "../../src/config/load.ts";
import { type Press, startPress, stillpress } from "../support/archive.ts";
import {
  changeJson,
  type Passing,
  type ProxyServer,
  type Served,
  serve,
  startProxy,
} from "./support.ts";

const root = "/api/v1";

let press: Press;
let served: Served;
let client: ApiClient;
/** While true, the origin fails to give out originals. */
let originFails = false;

beforeAll(async () => {
  press = await startPress({
    origin: {
      intercept(request, response) {
        if (!originFails || !request.url?.includes("/download")) return false;
        response.writeHead(500).end();
        return true;
      },
    },
    config: {
      origin: { rate: { requests: 1_000_000, perSeconds: 1 } },
      mirror: { filters: ["year", "year+month", "tag"] },
    },
  });
  const { code, stderr } = await press.run("snapshot");
  expect(stderr).not.toContain("problem");
  expect(code).toBe(0);
  served = await serve(press.out);
  const { config } = loadConfig({ file: press.configFile, env: {} });
  client = createClient({ config, token: press.origin.tokens.organisation });
});
afterAll(async () => {
  await client.close();
  await served.close();
  await press.close();
});

interface Compared {
  asked: number;
  uncompared: unknown[];
  perMirror: Map<string, Difference[]>;
  proxies: Map<string, ProxyServer>;
}

/** Mirrors behind proxies, compared one by one; each proxy changes something else. */
async function compareThrough(
  changes: Record<string, Parameters<typeof startProxy>[1]>,
  { sample = 400, seed = 1 }: { sample?: number; seed?: number } = {},
): Promise<Compared> {
  const { config } = loadConfig({ file: press.configFile, env: {} });
  const proxies = new Map<string, ProxyServer>();
  const compared: Compared = { asked: 0, uncompared: [], perMirror: new Map(), proxies };
  const origin = await learnOrigin(config, client, { seed });
  for (const [name, change] of Object.entries(changes)) {
    proxies.set(name, await startProxy(served.url, change));
  }
  try {
    for (const [name, { url }] of proxies) {
      const comparison = await compareMirror(origin, { baseUrl: url + root, sample, seed });
      compared.asked = comparison.asked;
      compared.perMirror.set(name, comparison.differences);
      compared.uncompared.push(...comparison.uncompared);
    }
    return compared;
  } finally {
    origin.reader.close();
    for (const proxy of proxies.values()) await proxy.close();
  }
}

const image = (answer: Passing): boolean =>
  answer.status === 200 && /\/images\/[^/?]+\.jpg/.test(answer.target);

describe("a comparison of an archive with its origin", () => {
  it("finds no difference where there is none, however the mirror is reached", async () => {
    const address = "https://archive.example.org/sub";
    const { asked, perMirror, uncompared } = await compareThrough({
      right: undefined,
      undescribed: (answer) =>
        answer.target === `${root}/mirror.json` ? { ...answer, status: 404 } : answer,
      // Its links lead to where it will be published.
      elsewhere(answer) {
        if (!answer.headers["content-type"]?.includes("json")) return answer;
        const ofOrigin = new URL(press.origin.baseUrl).origin;
        const text = answer.body
          .toString()
          .replaceAll(/http:\/\/127\.0\.0\.1:\d+(?=\/)/g, (found) =>
            found === ofOrigin ? found : address,
          );
        if (!answer.target.endsWith("/mirror.json")) return { ...answer, body: Buffer.from(text) };
        const description = { ...JSON.parse(text), url: address };
        return { ...answer, body: Buffer.from(JSON.stringify(description)) };
      },
      redirects(answer) {
        const elsewhere = answer.target.includes("hop=1");
        if (elsewhere || answer.status !== 200 || answer.target.includes("mirror.json")) {
          return answer;
        }
        const location = `${answer.target}${answer.target.includes("?") ? "&" : "?"}hop=1`;
        return { ...answer, status: 302, headers: { location }, body: Buffer.alloc(0) };
      },
    });
    for (const name of perMirror.keys()) expect(perMirror.get(name), name).toEqual([]);
    expect(uncompared).toEqual([]);
    expect(asked).toBe(400);
  });

  describe("through mirrors that are wrong", () => {
    let perMirror: Map<string, Difference[]>;
    // Links that lead to what is wrong are found with it.
    const kinds = (name: string): string[] =>
      [...new Set((perMirror.get(name) ?? []).map(({ kind }) => kind))].filter(
        (kind, _, all) => kind !== "link" || all.length === 1,
      );
    const firstOf = (name: string): Difference =>
      (perMirror.get(name) ?? []).find(({ kind }) => kind === kinds(name)[0]) as Difference;

    beforeAll(async () => {
      const single = /\/articles\/[0-9a-f-]{36}$/;
      const list = /\/articles(?:\?|$)/;
      ({ perMirror } = await compareThrough({
        field: changeJson(single, ({ data }) => {
          data.title = `${data.title}!`;
        }),
        "null link": changeJson(/\/images(?:\?|$)/, ({ data }) => {
          if (data.length > 0) data[0].links.web = null;
        }),
        "no link": changeJson(list, ({ data }) => {
          if (data.length > 0) data[0].links.view = "about:invalid";
        }),
        total: changeJson(list, ({ meta }) => {
          meta.total += 1;
        }),
        order: changeJson(list, ({ data }) => {
          if (data.length > 1) [data[0], data[1]] = [data[1], data[0]];
        }),
        "broken link": changeJson(single, (value) => {
          value.data.links = JSON.parse(
            JSON.stringify(value.data.links).replace(/"[^"]*\/(?=[^"/]*")/g, '"/nowhere/'),
          );
        }),
        missing: (answer) => (single.test(answer.target) ? { ...answer, status: 404 } : answer),
        type: (answer) =>
          image(answer)
            ? { ...answer, headers: { ...answer.headers, "content-type": "image/png" } }
            : answer,
        "no JSON": (answer) =>
          single.test(answer.target) ? { ...answer, body: Buffer.from("<html>") } : answer,
        async "another image"(answer) {
          if (!image(answer)) return answer;
          const { width, height } = await sharp(answer.body).metadata();
          const noise = { type: "gaussian" as const, mean: 128, sigma: 60 };
          const create = { width, height, channels: 3 as const, background: "#888", noise };
          return { ...answer, body: await sharp({ create }).jpeg().toBuffer() };
        },
        async "wrong size"(answer) {
          if (!image(answer) || !answer.target.includes("width")) return answer;
          const { width } = await sharp(answer.body).metadata();
          const body = await sharp(answer.body)
            .resize(Math.max(1, width - 2))
            .toBuffer();
          return { ...answer, body };
        },
        "endless pages": changeJson(/\/(?:articles|images)(?:\?|$)/, (value) => {
          if (value.links?.next) value.links.next = value.links.first;
        }),
        "swapped images": changeJson(/\/images(?:\?|$)/, ({ data }) => {
          if (data.length > 1) [data[0].links, data[1].links] = [data[1].links, data[0].links];
        }),
        original: (answer) =>
          answer.target.includes("/download")
            ? { ...answer, body: Buffer.concat([answer.body, Buffer.from([0])]) }
            : answer,
      }));
    });

    it.each([
      ["field", ["json"], /^data\.title: origin ".*", mirror ".*!"$/],
      ["null link", ["json"], /^data\[0\]\.links\.web: origin "http.*", mirror null/],
      ["no link", ["json"], /^data\[0\]\.links\.view: origin "http.*", mirror "about:invalid"/],
      ["total", ["json"], /^meta\.total: origin \d+, mirror \d+$/],
      ["order", ["json"], /^data\[0\]\.id: origin ".*", mirror ".*", and \d+ more$/],
      ["broken link", ["link"], /^"\/nowhere\/.*" in the answer of http.*: 404$/],
      ["missing", ["status"], /^origin 200, mirror 404$/],
      ["type", ["type"], /^origin image\/jpeg, mirror image\/png$/],
      ["no JSON", ["json"], /not JSON/],
      ["another image", ["picture"], /^another picture: mean difference \d/],
      ["wrong size", ["size"], /^origin \d+ × \d+ pixels, mirror \d+ × \d+$/],
      ["endless pages", ["link"], /^links\.(?:next|prev) leads elsewhere: /],
      ["swapped images", ["link"], /^data\[[01]\]\.links\.(?:web|download) leads elsewhere: /],
      ["original", ["original"], /^origin \d+ bytes, sha256 .*; mirror \d+ bytes/],
    ])("finds what is wrong: %s", (name, expected, text) => {
      expect(kinds(name)).toEqual(expected);
      expect(firstOf(name).text).toMatch(text);
      expect(firstOf(name).request).toMatch(/^\/(?:articles|galleries|images)/);
    });

    it("tells no signature", () => {
      expect(JSON.stringify([...perMirror])).not.toMatch(/signature|expires/);
    });
  });

  it("asks the same for the same seed, and something else for another", async () => {
    const askedWith = async (seed: number): Promise<string[]> => {
      const { proxies } = await compareThrough({ mirror: undefined }, { sample: 60, seed });
      return (proxies.get("mirror")?.requests ?? []).map(({ target }) => target).sort();
    };
    const first = await askedWith(7);
    expect(first.length).toBeGreaterThan(60);
    expect(await askedWith(7)).toEqual(first);
    expect(await askedWith(8)).not.toEqual(first);
  });

  it("never sends the origin's token to a mirror, nor tells it", async () => {
    const { organisation } = press.origin.tokens;
    const { proxies, perMirror } = await compareThrough(
      {
        mirror: changeJson(/\/articles/, (value) => {
          value.stolen = organisation;
        }),
      },
      { sample: 80 },
    );
    for (const { headers } of proxies.get("mirror")?.requests ?? []) {
      expect(headers.authorization).toBeUndefined();
    }
    expect(perMirror.get("mirror")).not.toEqual([]);
  });

  it("stops asking a mirror after so many differences", async () => {
    const { config } = loadConfig({ file: press.configFile, env: {} });
    const proxy = await startProxy(served.url, (answer) =>
      answer.target.includes("mirror.json") ? answer : { ...answer, status: 500 },
    );
    const origin = await learnOrigin(config, client, { seed: 1 });
    const { asked, differences } = await compareMirror(origin, {
      baseUrl: proxy.url + root,
      sample: 5000,
      seed: 1,
      maxDifferences: 10,
    });
    origin.reader.close();
    await proxy.close();
    expect(differences.length).toBeLessThan(40);
    expect(asked).toBeLessThan(60);
  });
});

describe("stillpress compare", () => {
  const compare = (mirror: string, ...args: string[]) =>
    press.run("compare", "--mirror", mirror, "--sample", "60", ...args);

  it("ends with 0 where everything is the same", async () => {
    const { code, report, stderr } = await compare(served.url + root);
    expect(report).toMatchObject({ exitCode: 0, asked: 60, differences: [], uncompared: [] });
    expect(report).toHaveProperty("seconds");
    expect(stderr).toContain("comparing");
    expect(code).toBe(0);
  });

  it("needs no configuration where the command line tells both addresses", async () => {
    const args = ["--origin", press.origin.baseUrl, "--mirror", served.url + root];
    const { code, stdout } = await stillpress(["compare", ...args, "--sample", "20"], {
      cwd: press.folder,
      env: {
        STILLPRESS_TOKEN: press.origin.tokens.organisation,
        STILLPRESS_ORIGIN_RATE: '{"requests":1000000,"perSeconds":1}',
      },
    });
    expect(stdout).toBe("20 requests, seed 1: 0 differences\n");
    expect(code).toBe(0);
  });

  it("ends with 5 and tells every difference, without the token", async () => {
    const { organisation } = press.origin.tokens;
    const proxy = await startProxy(
      served.url,
      changeJson(/\/(?:articles|tags|categories)/, (value) => {
        value.token = organisation;
        value.more = 1;
      }),
    );
    const json = await compare(proxy.url + root);
    const text = await stillpress(
      ["compare", "--config", press.configFile, "--mirror", proxy.url + root, "--sample", "60"],
      { env: { STILLPRESS_TOKEN: organisation } },
    );
    await proxy.close();
    const { exitCode, differences } = json.report as unknown as {
      exitCode: number;
      differences: Difference[];
    };
    expect([json.code, exitCode, text.code]).toEqual([5, 5, 5]);
    expect(differences[0]?.changes?.map(({ path }) => path)).toEqual(["token", "more"]);
    expect(text.stdout).toContain(`GET ${differences[0]?.request}\n  json: (- origin, + mirror)\n`);
    expect(text.stdout).toContain("    more\n      - nothing\n      + 1\n");
    for (const output of [json.stdout, json.stderr, text.stdout, text.stderr]) {
      expect(output).not.toContain(organisation);
    }
  });

  it("sends a mirror the token that is meant for it", async () => {
    const proxy = await startProxy(served.url);
    const args = ["--mirror", proxy.url + root, "--sample", "5", "--mirror-token-env", "MIRROR"];
    const { code } = await stillpress(["compare", "--config", press.configFile, ...args], {
      env: { STILLPRESS_TOKEN: press.origin.tokens.organisation, MIRROR: "token-of-the-mirror" },
    });
    await proxy.close();
    expect(code).toBe(0);
    for (const { headers } of proxy.requests) {
      expect(headers.authorization).toBe("Bearer token-of-the-mirror");
    }
  });

  it("ends with 8 where the origin fails too often to compare", async () => {
    originFails = true;
    const { code, report } = await compare(served.url + root, "--sample", "80").finally(() => {
      originFails = false;
    });
    const { uncompared, differences } = report as unknown as Record<string, { request: string }[]>;
    expect(differences).toEqual([]);
    expect(uncompared?.[0]?.request).toMatch(/\/download$/);
    expect(code).toBe(8);
  });

  it.each([
    ["no mirror", [], 2, "--mirror"],
    ["no address", ["--mirror", "localhost"], 2, "http(s)"],
    ["a wrong number", ["--mirror", "http://127.0.0.1:1/api", "--sample", "0"], 2, "--sample"],
    ["a mirror that is not there", ["--mirror", "http://127.0.0.1:1/api"], 5, "refused"],
    [
      "an empty variable",
      ["--mirror", "http://127.0.0.1:1/api", "--mirror-token-env", "NO"],
      2,
      "NO",
    ],
  ])("refuses %s", async (_, args, expected, message) => {
    const { code, stderr } = await stillpress(["compare", "--config", press.configFile, ...args], {
      env: { STILLPRESS_TOKEN: press.origin.tokens.organisation },
    });
    expect(stderr).toContain(message);
    expect(code).toBe(expected);
  });

  it("ends with 4 where the origin refuses the token", async () => {
    const { code, stdout } = await stillpress(
      ["compare", "--config", press.configFile, "--mirror", served.url + root, "--json"],
      { env: { STILLPRESS_TOKEN: "not-the-right-token" } },
    );
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 4 });
    expect(code).toBe(4);
  });
});

describe("stillpress verify --base-url", () => {
  const verify = async (url: string, ...args: string[]) => {
    const run = await press.run("verify", "--base-url", url, ...args);
    return { ...run, report: run.report as unknown as Record<string, unknown> };
  };
  const wrong = async (change: Parameters<typeof startProxy>[1], ...args: string[]) => {
    const proxy = await startProxy(served.url, change);
    return verify(proxy.url, ...args).finally(() => proxy.close());
  };

  it("finds every URL of the archive, also where the server writes its links otherwise", async () => {
    const { code, report, stderr } = await verify(served.url);
    expect(report).toMatchObject({ exitCode: 0, count: 0, differences: [] });
    expect(report.asked).toBeGreaterThan(500);
    expect(stderr).toContain("verifying");
    expect(code).toBe(0);
  });

  it("can draw some of them", async () => {
    const { report } = await verify(served.url, "--sample", "25", "--seed", "4");
    expect(report).toMatchObject({ exitCode: 0, asked: 25 });
  });

  it.each<[string, RegExp, Parameters<typeof startProxy>[1], object]>([
    [
      "a page that is not there",
      /^\/snapshot\.html$/,
      (answer) => (answer.target === "/snapshot.html" ? { ...answer, status: 404 } : answer),
      { kind: "status", text: "expected 200, got 404" },
    ],
    [
      "another text",
      /^\/api\/v1\/tags$/,
      changeJson(/\/tags$/, ({ data }) => {
        data[0].title = "Another";
      }),
      { kind: "content", text: expect.stringMatching(/^data\[0\]\.title: file ".*Another"$/) },
    ],
    [
      "a wrong type",
      /^\/index\.html$/,
      (answer) =>
        answer.target === "/index.html"
          ? { ...answer, headers: { "content-type": "text/plain" } }
          : answer,
      { kind: "type", text: "expected text/html; charset=utf-8, got text/plain" },
    ],
    [
      "a shorter file",
      /^\/snapshot\.html$/,
      (answer) =>
        answer.target === "/snapshot.html" ? { ...answer, body: answer.body.subarray(1) } : answer,
      { kind: "size" },
    ],
  ])("finds %s", async (_, url, change, difference) => {
    const { code, report } = await wrong(change);
    const found = (report.differences as { url: string }[]).filter((one) => url.test(one.url));
    expect(found).toEqual([expect.objectContaining(difference)]);
    expect(report.count).toBe(1);
    expect(code).toBe(5);
  });

  it("follows redirects", async () => {
    const { code } = await wrong(
      (answer) => {
        if (answer.target.includes("hop=1") || !answer.target.startsWith(root)) return answer;
        const location = `${answer.target}${answer.target.includes("?") ? "&" : "?"}hop=1`;
        return { ...answer, status: 302, headers: { location }, body: Buffer.alloc(0) };
      },
      "--sample",
      "100",
    );
    expect(code).toBe(0);
  });

  it("needs an archive, and a host that answers", async () => {
    const run = (...args: string[]) => stillpress(["verify", "--out", press.out, ...args]);
    expect((await run("--help")).stdout).toContain("--base-url");
    expect((await run("--base-url", "http://127.0.0.1:1")).code).toBe(5);
    const nothing = join(press.folder, "nothing");
    expect((await run("--base-url", served.url, "--out", nothing)).code).toBe(5);
  });
});

import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HostName, hostNames } from "../../src/config/host-names.ts";
import { hostConfigurations } from "../../src/hosts/hosts.ts";
import { redirectsIn } from "../../src/publish/deploy.ts";
import { readBuildManifest } from "../../src/publish/manifest.ts";
import { urlPath } from "../../src/routes/site.ts";
import { startServer } from "../../src/serve/server.ts";
import { type Press, startPress } from "../support/archive.ts";
import {
  ask,
  describeHost,
  installed,
  type RunningHost,
  startWebServer,
} from "../support/web-servers.ts";
import { emulators } from "./emulate.ts";
import { type Archive, handmade } from "./expected.ts";
import { startHost } from "./servers.ts";

/** Old paths with all that has a meaning in some configuration. */
const hostile = [
  "/2024/05/the-title",
  "/2024/05/title.html",
  "/ünïcode/новости/مرحبا",
  '/say "hi"',
  "/a'b`c",
  "/$uri/$document_root/$1",
  "/a;b; server listen 81;",
  "/a#b",
  "/50%/x+y",
  "/~^/(.*)$",
  "/[a-z]+(|)*\\d?".replace("\\", ""),
  "/*/wild/:splat",
  "/default",
  `/${"long-".repeat(170)}`,
];
const functionHosts = ["cloudflare", "cloudfront", "netlify", "vercel"] as const;
const root = "api/v1";
const written = (path: string): string => path.split("/").map(encodeURIComponent).join("/");
const page = (at: number): string => `articles/page-${at}.html`;

for (const host of ["nginx", "caddy"] as const) {
  describeHost(host, "old addresses", () => {
    let archive: Archive;
    let running: RunningHost;
    beforeAll(async () => {
      archive = handmade();
      const many = Array.from({ length: 20_000 }, (_, at) => [`/old/${at}`, page(at)] as const);
      const own = ["/articles", "/assets/style.css"].map((path) => [path, "wrong.html"] as const);
      const odd = hostile.map((path, at) => [path, page(at)] as const);
      const script = ["/lighthouse", urlPath("articles/旧灯塔.html")] as const;
      const oldAddresses = new Map([...odd, ...own, script, ...many]);
      running = await startHost(host, { ...archive, input: { ...archive.input, oldAddresses } });
    }, 60_000);
    afterAll(async () => {
      await running?.close();
      archive.remove();
    });

    it.each(hostile.map((path, at) => [path, at] as const))("redirects %s", async (path, at) => {
      for (const target of [written(path), `${written(path)}/`, `${written(path)}?utm=1`]) {
        const { status, headers } = await ask(running.url, target);
        expect([target, status]).toEqual([target, 301]);
        expect(headers.location).toBe(`/${page(at)}`);
      }
    });

    it("leads to pages in any script, and sends them", async () => {
      const { headers } = await ask(running.url, "/lighthouse");
      expect(headers.location).toBe("/articles/%E6%97%A7%E7%81%AF%E5%A1%94.html");
      const answer = await ask(running.url, headers.location ?? "");
      expect([answer.status, String(answer.body)]).toEqual([200, "articles/旧灯塔.html\n"]);
      expect(answer.headers["content-type"]).toMatch(/^text\/html/);
      const folder = `/tags/${encodeURIComponent("البحر-والناس")}`;
      const redirect = await ask(running.url, folder);
      expect([301, 302, 308]).toContain(redirect.status);
      expect(new URL(redirect.headers.location ?? "", running.url).pathname).toBe(`${folder}/`);
      expect((await ask(running.url, `${folder}/`)).status).toBe(200);
      expect((await ask(running.url, `${folder}/index.html`)).status).toBe(200);
    });

    it("knows tens of thousands, and no others", async () => {
      expect((await ask(running.url, "/old/19999")).headers.location).toBe(`/${page(19_999)}`);
      for (const path of ["/old/20000", "/old", "/2024/05", "/default/x", "/x/default"]) {
        expect([path, (await ask(running.url, path)).status]).toEqual([path, 404]);
      }
    });

    it("sends the archive's own files and folders first", async () => {
      expect((await ask(running.url, "/assets/style.css")).status).toBe(200);
      expect((await ask(running.url, "/articles")).headers.location).toMatch(/\/articles\/$/);
      expect((await ask(running.url, "/")).status).toBe(200);
    });
  });
}

describe("old addresses of an archive", () => {
  let press: Press;
  let moved: [path: string, page: string][];
  beforeAll(async () => {
    press = await startPress({
      config: { hosts: hostNames as unknown as Record<string, unknown> },
      size: { articles: 6, galleries: 2, images: 2 },
    });
    expect((await press.run("snapshot")).code).toBe(0);
    moved = [...redirectsIn(join(realpathSync(join(press.out, "public")), ".."))];
  }, 60_000);
  afterAll(() => press?.close());

  it("are those of all articles and galleries", () => {
    expect(moved.length).toBe(8);
    expect(moved.filter(([path]) => path.startsWith("/view/articles/")).length).toBe(6);
  });

  it.each(["serve", "nginx", "caddy", ...functionHosts] as const)(
    "lead to the pages on %s",
    async (host) => {
      if ((host === "nginx" || host === "caddy") && !installed(host)) return;
      const publicRoot = realpathSync(join(press.out, "public"));
      const deploy = join(publicRoot, "../deploy", host);
      const running =
        host === "serve"
          ? await startServer({ publicRoot, root: "api/v1" })
          : host === "nginx" || host === "caddy"
            ? await startWebServer(host, { publicRoot, deploy })
            : await emulators[host]({ root: publicRoot, deploy });
      try {
        for (const [path, to] of moved) {
          const answer = await ask(running.url, `${written(path)}`);
          expect([path, answer.status, answer.headers.location]).toEqual([path, 301, `/${to}`]);
          expect((await ask(running.url, `/${to}`)).status).toBe(200);
        }
      } finally {
        await running.close();
      }
    },
  );

  it("are followed by verify, which does not call it a difference where a host cannot", async () => {
    const publicRoot = realpathSync(join(press.out, "public"));
    const deploy = join(publicRoot, "../deploy/apache");
    const hosts: [RunningHost, number][] = [[await startServer({ publicRoot, root }), 0]];
    if (installed("apache"))
      hosts.push([await startWebServer("apache", { publicRoot, deploy }), 8]);
    for (const [running, notRedirected] of hosts) {
      const run = await press.run("verify", "--base-url", running.url);
      await running.close();
      expect(JSON.parse(run.stdout)).toMatchObject({ count: 0, exitCode: 0, notRedirected });
    }
  });

  it("are told as a limit where a host has no rules for them", () => {
    const archive = handmade();
    const input = { ...archive.input, oldAddresses: new Map(moved) };
    archive.remove();
    const limitsOf = (host: HostName) => hostConfigurations[host](input).limits.join();
    expect(limitsOf("apache")).toContain("8 former addresses of pages");
    for (const host of ["nginx", "caddy", ...functionHosts] as const) {
      expect(limitsOf(host)).not.toContain("former addresses");
    }
  });
});

describe("pages at their old paths", () => {
  let press: Press;
  let pages: string[];
  beforeAll(async () => {
    press = await startPress({
      config: {
        site: { permalinks: "view" },
        hosts: hostNames as unknown as Record<string, unknown>,
      },
      size: { articles: 6, galleries: 2, images: 2 },
    });
    expect((await press.run("snapshot")).code).toBe(0);
    const files = readBuildManifest(join(realpathSync(join(press.out, "public")), ".."));
    pages = [...files.keys()].filter((path) => path.startsWith("view/"));
  }, 60_000);
  afterAll(() => press?.close());

  it("are the only ones that the articles and galleries have", () => {
    expect(pages).toHaveLength(8);
    expect(pages.every((path) => path.endsWith("/index.html"))).toBe(true);
    expect([...redirectsIn(join(realpathSync(join(press.out, "public")), ".."))]).toEqual([]);
  });

  it("are right to verify, which walks all links", async () => {
    const run = await press.run("verify");
    expect(JSON.parse(run.stdout)).toMatchObject({ exitCode: 0, findings: [], remarks: [] });
  });

  it.each(["serve", "nginx", "caddy", "apache", ...functionHosts] as const)(
    "answer the old addresses on %s",
    async (host) => {
      if (isServer(host) && !installed(host)) return;
      const publicRoot = realpathSync(join(press.out, "public"));
      const deploy = join(publicRoot, "../deploy", host);
      const emulate = emulators[host as keyof typeof emulators];
      const running = isServer(host)
        ? await startWebServer(host, { publicRoot, deploy })
        : await (emulate?.({ root: publicRoot, deploy }) ?? startServer({ publicRoot, root }));
      try {
        for (const page of pages) {
          const old = `/${urlPath(page.replace("/index.html", ""))}`;
          const [moved, answer] = [await ask(running.url, old), await ask(running.url, `${old}/`)];
          expect([301, 302, 307, 308]).toContain(moved.status);
          expect(new URL(moved.headers.location ?? "", running.url).pathname).toBe(`${old}/`);
          expect([answer.status, String(answer.body)]).toEqual([
            200,
            readFileSync(join(publicRoot, page), "utf8"),
          ]);
        }
        expect((await ask(running.url, "/api/v1/articles")).status).not.toBe(404);
        expect((await ask(running.url, "/view/nothing.html")).status).toBe(404);
      } finally {
        await running.close();
      }
    },
  );
});

const isServer = (host: string): host is "nginx" | "caddy" | "apache" =>
  ["nginx", "caddy", "apache"].includes(host);

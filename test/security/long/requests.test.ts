// Anybody who can send a request: to `serve`, to the handler in a program of somebody else, and to the Worker.
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHandler, type Handler } from "../../../src/index.ts";
import { positionsOf } from "../../../src/routes/description.ts";
import { openFolder } from "../../../src/serve/folder.ts";
import { createWorker } from "../../../src/serve/functions.ts";
import { type RunningServer, startServer } from "../../../src/serve/server.ts";
import {
  api,
  article,
  exchange,
  image,
  type Published,
  publishArchive,
  requestOf,
  statusOf,
} from "../served.ts";

const secret = "what lies outside of the publish root";
const host = "Host: 127.0.0.1";

let published: Published;
let server: RunningServer;
let handler: Handler;
let worker: Handler;

beforeAll(async () => {
  published = publishArchive();
  const { folder, publicRoot } = published;
  for (const path of ["secret.txt", "builds/secret.txt", "builds/1/secret.txt"]) {
    writeFileSync(join(folder, path), secret);
  }
  mkdirSync(join(folder, "private"));
  writeFileSync(join(folder, "private/index.html"), secret);
  symlinkSync(join(folder, "secret.txt"), join(publicRoot, "link.txt"));
  symlinkSync(join(folder, "private"), join(publicRoot, "folder"));
  symlinkSync("loop", join(publicRoot, "loop"));
  symlinkSync("/dev/zero", join(publicRoot, "zero.txt"));
  published.write("1", "articles/index.html", "articles");
  published.write("1", `${published.root}/images/${image}.jpg`, "the web version");
  server = await startServer(published);
  handler = createHandler({ files: openFolder(publicRoot), root: published.root });
  worker = startWorker(publicRoot);
});
afterAll(async () => {
  await server.close();
  published.close();
});

/** The function of the Worker, with an assets binding that reads the publish root. */
function startWorker(publicRoot: string): Handler {
  const answer = createWorker(published.root);
  const ASSETS = {
    fetch: async (request: unknown) => {
      const { url } = request as Request;
      const file = join(publicRoot, decodeURIComponent(new URL(url).pathname));
      // A binding has copies of the files, and no links.
      const isFile = existsSync(file) && statSync(file).isFile() && !/link|folder|zero/.test(file);
      return isFile ? new Response(readFileSync(file)) : new Response(null, { status: 404 });
    },
  };
  return (request) => answer(request, { ASSETS });
}

const many = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join("");

/** Targets that name nothing: steps out of the root, other spellings of them, and what other systems take for files. */
const nothing = [
  "/../secret.txt",
  "/../../secret.txt",
  "/%2e%2e/secret.txt",
  "/%2E./secret.txt",
  "/articles/../../secret.txt",
  "/articles/%2e%2e/%2e%2e/secret.txt",
  "/..%2fsecret.txt",
  "/%2e%2e%2fsecret.txt",
  "/..%5csecret.txt",
  "/..\\secret.txt",
  "/%252e%252e/secret.txt",
  "/%c0%ae%c0%ae/secret.txt",
  "/%u002e%u002e/secret.txt",
  "/\xff\xfe/secret.txt",
  "/.%00./secret.txt",
  "/index.html%00",
  "/index.html%00.png",
  "/index.html%0d%0aSet-Cookie:a=b",
  "/link.txt",
  "/folder/",
  "/folder",
  "/folder/index.html",
  "/loop",
  "/zero.txt",
  "/C:/secret.txt",
  "/c%3a/secret.txt",
  "/index.html::$DATA",
  "/index.html/",
  "/index.html/index.html",
  "/index.html.",
  "/index.html%20",
  "/con",
  "/nul",
  "/aux.html",
  "/COM1",
  "/%5c%5c127.0.0.1%5cshare",
  "//127.0.0.1/share",
  "/%",
  "/%2",
  "/%zz",
  `/${"x".repeat(300)}`,
  `/${"a/".repeat(3900)}`,
  `/${"%41".repeat(2600)}`,
  `/?${many(10_000, (at) => `a${at}=b&`)}`,
  `${api}/articles/__proto__`,
  `${api}/articles/constructor/images`,
  `${api}/__proto__`,
  `${api}/images/__proto__.jpg`,
  `${api}/images/%2e%2e%2f%2e%2e%2fsecret.jpg?width=5`,
  `${api}/images/..;/secret.jpg?width=5`,
  `${api}/images/${"x".repeat(5_000)}.jpg?width=5`,
  `${api}/../../secret.txt`,
  `${api}/articles?page=1e308`,
  `${api}/articles?page=-1`,
  `${api}/articles?page=NaN`,
  `${api}/articles?page=0x1`,
  `${api}/articles?page=99999999999999999999`,
];

/** Targets whose odd parts mean nothing, beside something that is there. */
const oddities = [
  `/?${many(1_000, (at) => `${at}=b&`)}`,
  "/?__proto__=1&constructor[prototype]=2",
  "/?/../../secret.txt",
  `${api}/articles?__proto__[page]=9`,
  `${api}/articles/${article}?${"?".repeat(1_000)}`,
  `${api}/articles?page=1&${many(1_000, (at) => `${at}=&`)}`,
  `${api}/articles?tags=__proto__,constructor,toString`,
  `${api}/articles?category=__proto__`,
  `${api}/articles?category=hasOwnProperty`,
  `${api}/articles?tags=${many(3_000, (at) => `${at % 10},`)}`,
];

describe.each([
  ["serve", async (target: string) => await exchange(server.port, requestOf(target, host))],
  ["the handler", (target: string) => written(handler, target)],
  ["the Worker", (target: string) => written(worker, target)],
])("%s", (name, answer) => {
  it("has nothing for targets that name nothing", async () => {
    for (const target of nothing) {
      const text = await answer(target);
      // What a browser, or Cloudflare, tidies up before it is asked.
      const isTidy = name !== "serve" && /\/\.\.|%2e|\\/i.test(target);
      const expected = name === "serve" && target.length > 16_000 ? [414, 431] : [400, 404, 414];
      expect(isTidy ? [...expected, 200, 302] : expected, target).toContain(statusOf(text));
      expect(text, target).not.toContain(secret);
      expect(text, target).not.toMatch(/set-cookie/i);
    }
  });

  it("does not mind what means nothing", async () => {
    for (const target of oddities) expect(statusOf(await answer(target)), target).toBe(200);
  });

  it("sends a picture, or nothing, for sizes that are none", async () => {
    for (const size of [
      "1e308",
      "NaN",
      "-1",
      "0",
      "Infinity",
      "0x10",
      "1e-300",
      "",
      "9".repeat(400),
    ]) {
      for (const parameter of ["width", "height", "scale", "thumb", "orientation", "width[]"]) {
        const query = new URLSearchParams({ [parameter]: size });
        const text = await answer(`${api}/images/${image}.jpg?${query}`);
        expect([200, 404], `${query}`).toContain(statusOf(text));
        if (statusOf(text) === 200) expect(text).toContain("the web version");
      }
    }
  });

  it("leads nobody to another site", async () => {
    const parts = [
      "",
      ".",
      "..",
      "%2e",
      "%2f",
      "%5c",
      "\\",
      "articles",
      "evil.example",
      "@",
      ":",
      ";",
      "%",
      "?",
      "#",
    ];
    const paths = fc
      .array(fc.constantFrom(...parts), { maxLength: 6 })
      .map((all) => `/${all.join("/")}`);
    await fc.assert(
      fc.asyncProperty(paths, async (target) => {
        const text = await answer(target);
        expect([200, 301, 302, 400, 404]).toContain(statusOf(text));
        const to = /^location: (.*)$/im.exec(text)?.[1];
        if (to !== undefined) expect(new URL(to, "http://a.test").host).toBe("a.test");
      }),
      { numRuns: 150 },
    );
  });
});

/** An answer of a handler as it goes over the wire. */
async function written(asked: Handler, target: string): Promise<string> {
  const response = await asked(new Request(`https://archive.test${target}`));
  const lines = Array.from(response.headers, ([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${response.status}`, ...lines, "", await response.text()].join("\r\n");
}

describe("serve", () => {
  it.each([
    ["a target of 100 kB", requestOf(`/${"x".repeat(100_000)}`, host), [414, 431]],
    ["a header of 100 kB", requestOf("/", host, `X: ${"x".repeat(100_000)}`), [431]],
    ["10,000 headers", requestOf("/", host, ...Array(10_000).fill("a: b")), [431]],
    ["a Host behind 2,500 headers", requestOf("/", ...Array(2_500).fill("a:b"), host), [400]],
    ["two lengths", requestOf("/", host, "Content-Length: 1", "Content-Length: 2"), [400]],
    [
      "two framings",
      requestOf("/", host, "Content-Length: 1", "Transfer-Encoding: chunked"),
      [400],
    ],
    ["a folded header", requestOf("/", host, "X: a\r\n b"), [200, 400]],
    ["a space before a colon", requestOf("/", "Host : 127.0.0.1"), [400]],
    ["a NUL in a header", requestOf("/", host, "X: \0"), [400]],
    ["another protocol", "GET / HTTP/9.9\r\n\r\n", [400]],
    ["no protocol", "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n", [400]],
    ["an expectation", requestOf("/", host, "Expect: the-unexpected"), [417]],
    ["an upgrade", requestOf("/", host, "Connection: Upgrade", "Upgrade: websocket"), [200]],
    ["a conversation", `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${host}\r\n\r\n`, [0, 400]],
    ["an echo", `TRACE / HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`, [405]],
    ["a method of no standard", `FOO / HTTP/1.1\r\n${host}\r\n\r\n`, [400]],
    [
      "a file",
      `PUT /x HTTP/1.1\r\n${host}\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc`,
      [405],
    ],
    ["many ranges", requestOf("/", host, `Range: bytes=${many(2_000, () => "0-0,")}`), [200]],
    ["many versions", requestOf("/", host, `If-None-Match: ${many(3_000, () => '"a",')}`), [200]],
    ["a date that is none", requestOf("/", host, "If-Modified-Since: \xff\xfe"), [200]],
    ["a version that is none", requestOf("/", host, "If-Range: \xff", "Range: bytes=0-1"), [200]],
    [
      "headers of objects",
      requestOf("/", host, "__proto__: x", "constructor: y", "toString: z"),
      [200],
    ],
  ])("bears %s", async (_, bytes, statuses) => {
    expect(statuses).toContain(statusOf(await exchange(server.port, bytes)));
    expect(statusOf(await exchange(server.port, requestOf("/", host)))).toBe(200);
  });

  it("holds a bounded number of connections, and serves again when they are gone", async () => {
    const closed = new Set<Socket>();
    const sockets = Array.from({ length: 450 }, () => {
      const socket = connect(server.port, "127.0.0.1").on("error", () => {});
      return socket.on("close", () => closed.add(socket)).resume();
    });
    while (closed.size < 50) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(closed.size).toBe(50);
    for (const socket of sockets) socket.destroy();
    let status = 0;
    while (status === 0) status = statusOf(await exchange(server.port, requestOf("/", host)));
    expect(status).toBe(200);
  });
});

describe("the handler", () => {
  it("reads a list of versions of any length once", async () => {
    const headers = { "If-None-Match": many(200_000, (at) => `"${at}",`) };
    expect((await handler(new Request("https://archive.test/", { headers }))).status).toBe(200);
  });

  it("looks at each item once, however many tags are asked for", () => {
    const names = Array.from({ length: 3_000 }, (_, at) => String(at));
    const tags = Object.fromEntries(names.map((name, at) => [name, at]));
    const items = Array.from({ length: 20_000 }, (): [number, number, ...number[]] => [
      202401, 0, 9_001, 9_002, 9_003,
    ]);
    const index = { perPage: 20, categories: {}, tags, items };
    const cpu = (wanted: string[], match: "any" | "all"): number => {
      const before = process.cpuUsage();
      for (let run = 0; run < 5; run++)
        expect(positionsOf(index, { tags: wanted }, match)).toEqual([]);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    for (const match of ["any", "all"] as const) {
      cpu(["1"], match);
      // 3,000 times as many tags may cost a little more, such as finding their numbers.
      expect(cpu(names, match) / cpu(["1"], match)).toBeLessThan(50);
    }
  });
});

// A web page that is open in the reviewer's browser, and makes it ask the reviewer's own `serve`: by a name of its own
// that it points at this machine, by this machine's names, and by requests that no browser sends.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigError } from "../../src/errors.ts";
import { type RunningServer, startServer } from "../../src/serve/server.ts";
import {
  api,
  article,
  exchange,
  type Published,
  publishArchive,
  requestOf,
  statusOf,
} from "./served.ts";

let published: Published;
let server: RunningServer;
/** Listens on all addresses, and answers to a name. */
let open: RunningServer;

beforeAll(async () => {
  published = publishArchive();
  server = await startServer(published);
  open = await startServer({ ...published, host: "0.0.0.0", names: ["Archive.Example.org"] });
});
afterAll(async () => {
  await Promise.all([server.close(), open.close()]);
  published.close();
});

const get = (port: number, ...headers: string[]) => exchange(port, requestOf("/", ...headers));
const answerTo = async (of: RunningServer, host: string) =>
  statusOf(await get(of.port, `Host: ${host.replace("PORT", String(of.port))}`));

describe("the Host that a request asks", () => {
  it.each([
    "127.0.0.1:PORT",
    "127.0.0.1",
    "127.0.0.1:1",
    "localhost:PORT",
    "LOCALHOST:PORT",
    "localhost.:PORT",
    "press.localhost:PORT",
    "[::1]:PORT",
  ])("may be this machine: %s", async (host) => {
    expect(await answerTo(server, host)).toBe(200);
  });

  it.each([
    "evil.example:PORT",
    "evil.example",
    "localhost.evil.example:PORT",
    "127.0.0.1.evil.example:PORT",
    "evillocalhost:PORT",
    "192.0.2.1:PORT",
    "[2001:db8::1]:PORT",
    "archive.example.org:PORT",
  ])("may be no other: %s", async (host) => {
    const answer = await get(server.port, `Host: ${host.replace("PORT", String(server.port))}`);
    expect(statusOf(answer)).toBe(421);
    expect(answer).toContain("--host");
    expect(answer).not.toContain("the archive");
    expect(answer.toLowerCase()).not.toContain("access-control");
  });

  it("counts for the mirror, pictures, and each method", async () => {
    for (const target of [`${api}/articles`, `${api}/images/x.jpg?width=3`, "/_preview/changes"]) {
      for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) {
        const text = `${method} ${target} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
        expect(statusOf(await exchange(server.port, text))).toBe(421);
      }
    }
  });

  it("may be a name that was given, and any address where the server listens on all", async () => {
    for (const host of [
      "archive.example.org",
      "archive.example.org:443",
      "192.0.2.1",
      "[2001:db8::1]",
    ]) {
      expect(await answerTo(open, host)).toBe(200);
    }
    for (const host of [
      "evil.example",
      "x.archive.example.org",
      "archive.example.org.evil.example",
    ]) {
      expect(await answerTo(open, host)).toBe(421);
    }
  });

  it.each([
    ["two", ["Host: 127.0.0.1", "Host: evil.example"]],
    ["twice the same", ["Host: 127.0.0.1", "Host: 127.0.0.1"]],
    ["none", []],
    ["an empty one", ["Host:"]],
    ["a user", ["Host: evil.example@127.0.0.1"]],
    ["a user and password", ["Host: a:b@127.0.0.1"]],
    ["a space", ["Host: 127.0.0.1 evil.example"]],
    ["a list", ["Host: 127.0.0.1, evil.example"]],
    ["a path", ["Host: 127.0.0.1/evil"]],
    ["a backslash", ["Host: 127.0.0.1\\evil"]],
    ["a query", ["Host: 127.0.0.1?evil"]],
    ["a fragment", ["Host: 127.0.0.1#evil"]],
    ["a port that is none", ["Host: 127.0.0.1:99999"]],
    ["a port of letters", ["Host: 127.0.0.1:http"]],
    ["an address that is none", ["Host: 127.0.0.999"]],
    ["half a bracket", ["Host: [::1"]],
    ["an escape", ["Host: 127.0.0.1%00.evil.example"]],
    ["another character set", ["Host: \xe9vil"]],
    ["a tab", ["Host: 127.0.0.1\tevil"]],
    ["markup", ["Host: <script>"]],
  ])("must be one well-formed name: not %s", async (_, headers) => {
    expect(statusOf(await get(server.port, ...headers))).toBe(400);
  });

  it("cannot come from the request's target", async () => {
    for (const target of [
      "http://evil.example/",
      "http://127.0.0.1/",
      "//evil.example/",
      "*",
      "evil",
    ]) {
      const answer = await exchange(server.port, requestOf(target, "Host: 127.0.0.1"));
      expect([400, 404]).toContain(statusOf(answer));
      expect(answer).not.toContain("evil.example");
    }
  });

  it("may be missing in HTTP/1.0, which no browser speaks", async () => {
    expect(statusOf(await exchange(server.port, "GET / HTTP/1.0\r\n\r\n"))).toBe(200);
  });
});

describe("a page of another site", () => {
  const evil = "Origin: https://evil.example";
  const host = "Host: 127.0.0.1";
  const targets = [
    `${api}/articles`,
    `${api}/articles/${article}`,
    `${api}/images/x.jpg?width=3`,
    "/search/subjects.js",
    "/",
  ];

  it.each([
    [
      "fetch",
      [evil, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty"],
    ],
    ["fetch of an older browser", [evil]],
    ["a sandboxed frame", ["Origin: null"]],
    [
      "a script or picture",
      ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"],
    ],
    [
      "one with its address",
      ["Sec-Fetch-Site: cross-site", "Referer: https://evil.example/127.0.0.1"],
    ],
    [
      "one with a false name",
      ["Sec-Fetch-Site: cross-site", "Referer: https://127.0.0.1@evil.example/"],
    ],
    [
      "a frame",
      ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"],
    ],
    ["an event stream", [evil, "Sec-Fetch-Site: cross-site", "Accept: text/event-stream"]],
  ])("gets nothing from this machine: %s", async (_, headers) => {
    for (const target of targets) {
      const answer = await exchange(server.port, requestOf(target, host, ...headers));
      expect(statusOf(answer)).toBe(403);
      expect(answer.toLowerCase()).not.toContain("access-control");
    }
  });

  it.each([
    [
      "a link",
      ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
    ],
    ["a page of this machine", ["Origin: http://localhost:5173", "Sec-Fetch-Site: cross-site"]],
    ["its pictures", ["Referer: http://localhost:5173/", "Sec-Fetch-Site: cross-site"]],
    ["another port", ["Origin: http://127.0.0.1:5173", "Sec-Fetch-Site: same-site"]],
    ["the page itself", ["Sec-Fetch-Site: same-origin"]],
    ["an address that somebody typed", ["Sec-Fetch-Site: none"]],
    ["a program", []],
  ])("is not %s", async (_, headers) => {
    for (const target of ["/", `${api}/articles`]) {
      expect(statusOf(await exchange(server.port, requestOf(target, host, ...headers)))).toBe(200);
    }
  });

  it("may use a server that is asked by a name of its own, as the mirror promises", async () => {
    const asked = [evil, "Sec-Fetch-Site: cross-site", "Host: archive.example.org"];
    const answer = await exchange(open.port, requestOf(`${api}/articles`, ...asked));
    expect(statusOf(answer)).toBe(200);
    expect(answer.toLowerCase()).toContain("access-control-allow-origin: *");
    const own = ["Origin: https://archive.example.org", host];
    expect(statusOf(await exchange(open.port, requestOf(`${api}/articles`, ...own)))).toBe(200);
  });
});

it.each([
  "https://archive.example.org",
  "a.example:80",
  "a@b.example",
  "a b",
  "a/b",
  "a\\b",
  "a?b",
])("%s is refused as a name when the server starts", async (name) => {
  const started = startServer({ ...published, names: [name] });
  await expect(started).rejects.toThrow(ConfigError);
  await expect(started).rejects.toThrow("--host: expected a name");
});

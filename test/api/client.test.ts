import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { inspect } from "node:util";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ApiError, BudgetError, Interrupted, StoreError } from "../../src/errors.ts";
import { virtualClock } from "../lib/virtual-clock.ts";
import {
  clientOf,
  serve,
  serveRaw,
  type TestClient,
  type TestServer,
  temporaryFolder,
  token,
} from "./support.ts";

const answer = { data: [{ id: "1", title: "Grüße" }] };
const text = JSON.stringify(answer);

function sendJson(response: ServerResponse, body: string | Buffer = text, headers = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(body);
}

/** What a promise is rejected with. */
async function failureOf(promise: Promise<unknown>): Promise<ApiError> {
  return await promise.then(
    () => expect.unreachable("nothing failed"),
    (error) => error,
  );
}

const sha256 = (content: string | Buffer): string =>
  createHash("sha256").update(content).digest("hex");

/** Whether a request is on its way, so that the client's clock has to stand still. */
const isBusy = (client: TestClient, server: TestServer): boolean =>
  client.stats.requests > server.answered;

const signed = "expires=1714650000&signature=f00d5ec2e7";

describe("client.json", () => {
  it("sends the token and the documented headers, and gives the text beside the value", async () => {
    const server = await serve((_, response) => sendJson(response));
    const client = clientOf(`${server.url}/api/v1`);
    expect(await client.json(`${server.url}/api/v1/articles?page=2`)).toMatchObject({
      text,
      value: answer,
      damaged: false,
    });
    const [request] = server.requests;
    expect(request?.method).toBe("GET");
    expect(request?.url).toBe("/api/v1/articles?page=2");
    expect(request?.headers).toMatchObject({
      accept: "application/json",
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
      "accept-encoding": "gzip, br",
    });
    // A 304 for a page of a list would say nothing of the pages behind it.
    const names = Object.keys(request?.headers ?? {});
    expect(names.filter((name) => name.startsWith("if-"))).toEqual([]);
    expect(client.stats).toEqual({
      requests: 1,
      downloads: 0,
      retries: 0,
      pauses: 0,
      bytes: Buffer.byteLength(text),
    });
  });

  it.each([
    ["gzip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["GZIP", gzipSync(text)],
    ["br", brotliCompressSync(text)],
    ["gzip, aws-chunked", gzipSync(text)],
    ["identity", Buffer.from(text)],
    // Words that are no coding of IANA's registry; browsers pass over them.
    ...["aws-chunked", "utf-8", "none", "binary", "null", ""].map(plainly),
    // Labels on what is not compressed.
    ...["gzip", "x-gzip", "br", "compress", "deflate", "zstd", "gzip, br"].map(plainly),
  ])("reads %s", async (coding, body) => {
    const server = await serve((_, r) => sendJson(r, body, { "content-encoding": coding }));
    expect((await clientOf(server.url).json(`${server.url}/tags`)).text).toBe(text);
  });

  // RFC 8259, 8.1 asks for UTF-8; Encoding Standard, 6: a byte order mark goes before a label.
  it.each<[string, string, Buffer]>([
    ["iso-8859-1", "application/json; charset=iso-8859-1", Buffer.from('["café"]', "latin1")],
    [
      "a charset in quotes",
      'application/json; charset="windows-1252"',
      Buffer.from([...Buffer.from('["caf'), 0xe9, ...Buffer.from('"]')]),
    ],
    ["UTF-8 under another label", "application/json; charset=iso-8859-1", Buffer.from('["café"]')],
    ["UTF-16 with its mark", "application/json", Buffer.from('\ufeff["café"]', "utf16le")],
    [
      "UTF-16 in the other order",
      "application/json; charset=utf-8",
      Buffer.from('\ufeff["café"]', "utf16le").swap16(),
    ],
  ])("reads %s", async (_, type, body) => {
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-type": type }).end(body);
    });
    const read = await clientOf(server.url).json(`${server.url}/tags`);
    expect([read.value, read.text, read.damaged]).toEqual([["café"], '["café"]', false]);
  });

  it("does not let another charset hide how deep an answer is", async () => {
    // As bytes, U+2200 looks like a quote, in which brackets count for nothing.
    const deep = `\ufeff["\u2200"${',["\u2200"'.repeat(200)}${"]".repeat(201)}`;
    const server = await serve((_, response) => response.end(Buffer.from(deep, "utf16le")));
    const failure = await failureOf(clientOf(server.url).json(`${server.url}/tags`));
    expect(failure.message).toContain("nested deeper than 128 levels");
  });

  it("reads a text that begins with a byte order mark", async () => {
    const server = await serve((_, response) => sendJson(response, `\uFEFF${text}`));
    expect((await clientOf(server.url).json(`${server.url}/tags`)).value).toEqual(answer);
  });

  it("asks over a connection of its own where it is told to", async () => {
    const ports: (number | undefined)[] = [];
    const server = await serve((request, response) => {
      ports.push(request.socket.remotePort);
      sendJson(response);
    });
    const client = clientOf(server.url, { crawl: { concurrency: 1 } });
    for (const apart of [false, false, true, true, false]) {
      await client.json(`${server.url}/tags`, { apart });
    }
    const [shared, again, ...others] = ports;
    expect(again).toBe(shared);
    expect(others.pop()).toBe(shared);
    expect(new Set([shared, ...others]).size).toBe(3);
  });

  it("replaces bytes that are not UTF-8, and tells it", async () => {
    const body = Buffer.concat([
      Buffer.from('{"data":"Gr'),
      Buffer.from([0xfc]),
      Buffer.from('n"}'),
    ]);
    const server = await serve((_, response) => sendJson(response, body));
    const client = clientOf(server.url);
    expect(await client.json(`${server.url}/tags`)).toMatchObject({
      value: { data: "Gr\uFFFDn" },
      damaged: true,
    });
  });

  it.each([
    [400, 1, 8, undefined],
    [401, 1, 4, "the token in STILLPRESS_TOKEN was refused: put a valid one there and run again"],
    [403, 1, 4, "the token in STILLPRESS_TOKEN may not read this"],
    [404, 1, 8, "check origin.baseUrl and origin.paths in the configuration"],
    [410, 1, 8, undefined],
    [500, 5, 8, undefined],
    [503, 5, 8, undefined],
    [204, 1, 8, undefined],
    [206, 1, 8, undefined],
    [304, 1, 8, undefined],
  ])(
    "ends with status %i after %i attempts, exit code %i",
    async (status, attempts, exitCode, hint) => {
      const server = await serve((_, response) => response.writeHead(status).end());
      const client = clientOf(`${server.url}/api`);
      const failure = await failureOf(client.json(`${server.url}/api/articles?page=4`));
      expect(failure).toBeInstanceOf(ApiError);
      expect(failure.message).toBe(
        `GET /articles?page=4: ${status} after ${attempts === 1 ? "1 attempt" : `${attempts} attempts`}`,
      );
      expect(failure).toMatchObject({
        status,
        attempts,
        exitCode,
        hint,
        url: `${server.url}/api/articles?page=4`,
      });
      expect(server.requests).toHaveLength(attempts);
    },
  );

  it("names the file of the token where it came from one, and what private images need", async () => {
    const server = await serve((_, response) => response.writeHead(401).end());
    const client = clientOf(server.url, { origin: { tokenFile: "token.txt" } });
    const failure = await failureOf(client.json(`${server.url}/images?private=1`));
    expect(failure.hint).toBe(
      "the token in token.txt was refused: put a valid one there and run again; image indexes with private=true need an organisation token",
    );
  });

  it.each([
    ["/articles", true],
    ["/articles?page=2", true],
    ["/media/videos?page=1", true],
    ["/articles/12", false],
    ["/images/12", false],
    ["/articles/12/images?page=1", false],
  ])("tells an index that is missing from one item: %s", async (path, isIndex) => {
    const server = await serve((_, response) => response.writeHead(404).end());
    const client = clientOf(`${server.url}/api`, {
      origin: { paths: { videos: "/media/videos" } },
    });
    const failure = await failureOf(client.json(`${server.url}/api${path}`));
    expect(failure.hint).toBe(
      isIndex
        ? "check origin.baseUrl and origin.paths in the configuration"
        : "probably removed since it was listed; if all of them fail like this, check origin.paths",
    );
  });

  it("cuts the token out of what the origin answers, and says so once", async () => {
    const echo = JSON.stringify({ data: [{ id: "1", title: `Bearer ${token}` }] });
    const escaped = `{"data":"${token.replaceAll("-", "\\u002D")}"}`;
    const server = await serve((request, response) =>
      sendJson(response, request.url === "/echo" ? echo : escaped),
    );
    const client = clientOf(server.url);
    expect(await client.json(`${server.url}/echo`)).toMatchObject({
      text: '{"data":[{"id":"1","title":"Bearer [token]"}]}',
      value: { data: [{ id: "1", title: "Bearer [token]" }] },
      damaged: false,
    });
    expect((await client.json(`${server.url}/escaped`)).text).toBe('{"data":"[token]"}');
    expect(client.log).toEqual(["the origin's content repeats the access token; it is cut out"]);
  });

  it("tries again until the origin answers", async () => {
    const server = await serve((_, response, index) => {
      if (index < 3) response.writeHead(502).end("busy");
      else sendJson(response);
    });
    const client = clientOf(server.url);
    expect((await client.json(`${server.url}/tags`)).value).toEqual(answer);
    expect(client.stats).toMatchObject({ requests: 4, retries: 3 });
    expect(client.log[0]).toBe("GET /tags: 502, again in 0.0 s");
  });

  it.each([
    ["seconds", () => "1"],
    ["a date", (now: number) => new Date(now + 1000).toUTCString()],
  ])(
    "waits as long as Retry-After says in %s, and everybody with it",
    async (_name, retryAfter) => {
      const clock = virtualClock();
      const begun = clock.now();
      const arrivals: number[] = [];
      const server = await serve((_, response, index) => {
        arrivals.push(clock.now() - begun);
        const date = new Date(clock.now()).toUTCString();
        if (index > 0) sendJson(response);
        else response.writeHead(429, { date, "retry-after": retryAfter(clock.now()) }).end();
      });
      const client = clientOf(server.url, { clock, origin: { rate: "auto" } });
      const asked = ["/1", "/2", "/3"].map((path) => client.json(server.url + path));
      await clock.run(Promise.all(asked), () => isBusy(client, server));
      expect(arrivals).toEqual([0, 1_000, 1_000, 1_000]);
      expect(client.waits.pausedMs).toBe(1_000);
      expect(client.stats).toMatchObject({ requests: 4, retries: 1, pauses: 1 });
    },
  );

  it("keeps asking after refusals without Retry-After for longer than after failures", async () => {
    const server = await serve((_, response, index) => {
      if (index < 7) response.writeHead(429).end();
      else sendJson(response);
    });
    const client = clientOf(server.url, { limits: { firstDelayMs: 1 } });
    expect((await client.json(`${server.url}/tags`)).value).toEqual(answer);
    expect(client.stats.retries).toBe(7);
  });

  it("ends the run instead of sitting out a pause of hours", async () => {
    const server = await serve((_, r) => r.writeHead(429, { "retry-after": "7200" }).end());
    const client = clientOf(server.url);
    const failure = await failureOf(client.json(`${server.url}/tags`));
    expect(failure.message).toBe("GET /tags: 429 after 1 attempt");
    expect(failure.exitCode).toBe(9);
    expect(failure.hint).toBe("the origin asks to wait 120 minutes; run again after that");
    const next = await failureOf(client.json(`${server.url}/tags`));
    expect(next).toBeInstanceOf(BudgetError);
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, string, string]>([
    [
      "a cut Content-Length body",
      `HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n${text}`,
      "closed",
    ],
    [
      "a cut chunked body",
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n${text}`,
      "closed",
    ],
    ["a cut body without a length", `HTTP/1.1 200 OK\r\n\r\n${text.slice(0, 20)}`, "not JSON"],
    ["an empty body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "not JSON"],
    ["a connection closed without an answer", "", "closed"],
    ["cut headers", "HTTP/1.1 200 OK\r\nContent-Ty", "closed"],
    [
      "something that is no HTTP",
      "220 mail.example.org ESMTP\r\n\r\n",
      "no complete answer (HTTPParserError)",
    ],
  ])("takes %s for a failure of the moment", async (_name, bytes, reason) => {
    const whole = `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
    const server = await serveRaw((socket, _, index) => socket.end(index === 0 ? bytes : whole));
    const client = clientOf(server.url);
    expect((await client.json(`${server.url}/tags`)).value).toEqual(answer);
    expect(client.log).toHaveLength(1);
    expect(client.log[0]).toContain(reason);
  });

  it.each([
    ["cut gzip", gzipSync(text).subarray(0, -9), "compressed answer is cut short"],
    ["damaged gzip", Buffer.from("no gzip at all"), "compressed answer is damaged"],
  ])("tries again after %s", async (_name, body, reason) => {
    const server = await serve((_, response, index) =>
      sendJson(response, index === 0 ? body : gzipSync(text), { "content-encoding": "gzip" }),
    );
    const client = clientOf(server.url);
    expect((await client.json(`${server.url}/tags`)).value).toEqual(answer);
    expect(client.log).toEqual([`GET /tags: ${reason}, again in 0.0 s`]);
  });

  it("says that a web page is none of the API's answers", async () => {
    const server = await serve((_, response) =>
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<h1>Login</h1>"),
    );
    const failure = await failureOf(clientOf(server.url).json(`${server.url}/tags`));
    expect(failure.message).toBe("GET /tags: answer is a web page, not JSON after 5 attempts");
    expect(failure.hint).toBe("check origin.baseUrl: it must be the address of the API");
    expect(failure).toMatchObject({ status: 0, exitCode: 8 });
  });

  it.each<[string, Buffer, object]>([
    ["a huge answer", Buffer.alloc(70_000, " "), {}],
    ["a gzip bomb", gzipSync(Buffer.alloc(5_000_000, " ")), { "content-encoding": "gzip" }],
    ["a brotli bomb", brotliCompressSync(Buffer.alloc(500_000, " ")), { "content-encoding": "br" }],
  ])("gives %s up at the limit, once", async (_name, body, headers) => {
    const server = await serve((_, response) => sendJson(response, body, headers));
    const client = clientOf(server.url, { limits: { maxJsonBytes: 65_536 } });
    const failure = await failureOf(client.json(`${server.url}/tags`));
    expect(failure.message).toBe("GET /tags: answer is above 65536 bytes after 1 attempt");
    expect(failure.status).toBe(200);
  });

  it.each([
    ["arrays", `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`],
    ["objects", `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`],
    ["one level too many", `${"[".repeat(129)}${"]".repeat(129)}`],
  ])("gives an answer up, once, that is nested too deeply: %s", async (_name, body) => {
    const server = await serve((_, response) => sendJson(response, body));
    const failure = await failureOf(clientOf(server.url).json(`${server.url}/tags`));
    expect(failure.message).toBe(
      "GET /tags: answer is nested deeper than 128 levels after 1 attempt",
    );
    expect(failure.status).toBe(200);
  });

  it("reads an answer of 128 levels", async () => {
    const body = `${"[".repeat(128)}"[[]\\"[["${"]".repeat(128)}`;
    const server = await serve((_, response) => sendJson(response, body));
    expect((await clientOf(server.url).json(`${server.url}/tags`)).text).toBe(body);
  });

  it("does not ask again for an encoding that it cannot read", async () => {
    const packed = { "content-encoding": "deflate" };
    const server = await serve((_, r) => sendJson(r, deflateSync(text), packed));
    const failure = await failureOf(clientOf(server.url).json(`${server.url}/tags`));
    expect(failure.message).toBe(
      "GET /tags: answer has an unknown content encoding after 1 attempt",
    );
  });

  it("cuts an answer that drips, whether in its body or in its headers", async () => {
    const server = await serveRaw((socket, request) => {
      const inBody = request.includes("/body");
      socket.write(
        inBody ? 'HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n"' : "HTTP/1.1 200 OK\r\nX: ",
      );
      const drip = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(drip));
    });
    const client = clientOf(server.url, { limits: { jsonMs: 80, idleMs: 60 } });
    const [body, headers] = await Promise.all([
      failureOf(client.json(`${server.url}/body`)),
      failureOf(client.json(`${server.url}/headers`)),
    ]);
    expect(body.message).toBe("GET /body: no complete answer within 0.08 s after 5 attempts");
    expect(headers.message).toBe("GET /headers: no complete answer within 0.06 s after 5 attempts");
  });

  it("does not wait for the rest of a refusal that drips", async () => {
    const server = await serveRaw((socket) => {
      socket.write("HTTP/1.1 404 Not Found\r\nContent-Length: 9000\r\n\r\n");
      const drip = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(drip));
    });
    const client = clientOf(server.url, { limits: { idleMs: 60 } });
    expect(await failureOf(client.json(`${server.url}/tags`))).toMatchObject({ status: 404 });
  });

  it("says where nothing listens", async () => {
    const { url } = await serveRaw((socket) => socket.destroy());
    const nowhere = url.replace(/\d+$/, "9");
    const failure = await failureOf(clientOf(nowhere).json(`${nowhere}/tags`));
    expect(failure.message).toBe("GET /tags: connection refused after 5 attempts");
    expect(failure.hint).toBe(
      "check origin.baseUrl, and that the service can be reached from here",
    );
  });

  it("follows redirects within the origin, each as a request of its own", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/a") response.writeHead(301, { location: "/b" }).end();
      else if (request.url === "/b") response.writeHead(308, { location: "c?x=1" }).end("moved");
      else sendJson(response);
    });
    const clock = virtualClock();
    const begun = clock.now();
    const origin = { rate: { requests: 2, perSeconds: 20 } };
    const client = clientOf(server.url, { origin, clock });
    const asked = client.json(`${server.url}/a`);
    const { value } = await clock.run(asked, () => isBusy(client, server));
    expect(value).toEqual(answer);
    expect(server.requests.map((request) => request.url)).toEqual(["/a", "/b", "/c?x=1"]);
    expect(client.stats.requests).toBe(3);
    expect(clock.now() - begun).toBe(20_001);
  });

  it("gives up a redirect loop", async () => {
    const server = await serve((_, r) => r.writeHead(302, { location: "/again" }).end());
    const failure = await failureOf(clientOf(server.url).json(`${server.url}/again`));
    expect(failure.message).toBe("GET /again: more than 3 redirects after 1 attempt");
    expect(server.requests).toHaveLength(4);
  });

  it.each([
    [302, undefined, "302"],
    [302, "http://[nowhere", "302 to something that is not a URL"],
    [300, "/tags", "300"],
    [305, "/tags", "305"],
  ])("does not follow %i to %s", async (status, location, reason) => {
    const server = await serve((_, response) =>
      response.writeHead(status, location === undefined ? {} : { location }).end(),
    );
    const failure = await failureOf(clientOf(server.url).json(`${server.url}/tags`));
    expect(failure.message).toBe(`GET /tags: ${reason} after 1 attempt`);
  });

  it("never sends the token to another origin", async () => {
    const other = await serve((_, response) => sendJson(response));
    const server = await serve((_, r) => r.writeHead(307, { location: `${other.url}/x` }).end());
    const client = clientOf(server.url, { origin: { allowHosts: [new URL(other.url).host] } });
    const failure = await failureOf(client.json(`${server.url}/tags`));
    expect(failure.message).toBe(
      `GET /tags: redirect to ${other.url} is not allowed after 1 attempt`,
    );
    await expect(client.json(`${other.url}/tags`)).rejects.toThrow(
      `the token is not for ${other.url}`,
    );
    expect(other.requests).toEqual([]);
  });

  it("keeps to the configured rate, as the origin counts it", async () => {
    const clock = virtualClock();
    const begun = clock.now();
    const arrivals: number[] = [];
    const server = await serve((_, response) => {
      arrivals.push(clock.now() - begun);
      sendJson(response);
    });
    const origin = { rate: { requests: 10, perSeconds: 40 } };
    const client = clientOf(server.url, { origin, clock });
    const asked = Array.from({ length: 25 }, (_, i) => client.json(`${server.url}/${i}`));
    await clock.run(Promise.all(asked), () => isBusy(client, server));
    expect(arrivals).toEqual([
      ...Array(10).fill(0),
      ...Array(10).fill(40_001),
      ...Array(5).fill(80_002),
    ]);
  });

  it("remembers the rate over a restart, for the same origin only", async () => {
    const server = await serve((_, response) => sendJson(response));
    const other = await serve((_, response) => sendJson(response));
    const rateFile = join(temporaryFolder(), "rate.json");
    const clock = virtualClock();
    const begun = clock.now();
    const options = { rateFile, origin: { rate: { requests: 2, perSeconds: 60 } }, clock };
    const first = clientOf(server.url, options);
    await Promise.all([first.json(`${server.url}/1`), first.json(`${server.url}/2`)]);
    await first.close();
    const next = clientOf(server.url, options);
    const asked = next.json(`${server.url}/3`);
    await clock.run(asked, () => next.stats.requests + 2 > server.answered);
    expect(clock.now() - begun).toBe(60_001);
    await clientOf(other.url, options).json(`${other.url}/4`);
  });

  it.each([
    ["Retry-After", 429, { "retry-after": "7200" }],
    [
      "an allowance that is used up",
      200,
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "7200" },
    ],
  ])(
    "sends nothing in a pause that a killed run was told of by %s",
    async (_name, status, headers) => {
      const server = await serve((_, response) => {
        response.writeHead(status, headers).end(text);
      });
      const rateFile = join(temporaryFolder(), "rate.json");
      // It is not closed, as if it had been killed right after the answer.
      await clientOf(server.url, { rateFile })
        .json(`${server.url}/tags`)
        .catch(() => {});
      const next = clientOf(server.url, { rateFile });
      const failure = await failureOf(next.json(`${server.url}/tags`));
      expect(failure).toBeInstanceOf(BudgetError);
      expect(failure.message).toBe("the origin allows no request for 120 minutes");
      expect(failure.exitCode).toBe(9);
      expect(server.requests).toHaveLength(1);
    },
  );

  it("sits a shorter pause out that a killed run was told of", async () => {
    const clock = virtualClock();
    const begun = clock.now();
    const arrivals: number[] = [];
    const server = await serve((_, response, index) => {
      arrivals.push(clock.now() - begun);
      if (index === 0) response.writeHead(503, { "retry-after": "90" }).end();
      else sendJson(response);
    });
    const rateFile = join(temporaryFolder(), "rate.json");
    const kill = new AbortController();
    const killed = clientOf(server.url, { rateFile, signal: kill.signal, clock });
    const asked = failureOf(killed.json(`${server.url}/tags`));
    while (killed.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    kill.abort(new Interrupted("SIGTERM"));
    await asked;
    const next = clientOf(server.url, { rateFile, clock });
    const both = Promise.all([next.json(`${server.url}/tags`), next.json(`${server.url}/tags`)]);
    await clock.run(both, () => next.stats.requests + 1 > server.answered);
    expect(arrivals).toEqual([0, 90_000, 90_000]);
  });

  it.each(["", "{", "[]", '{"origin":5}'])(
    "starts with a damaged rate file: %j",
    async (content) => {
      const rateFile = join(temporaryFolder(), "rate.json");
      writeFileSync(rateFile, content);
      const server = await serve((_, response) => sendJson(response));
      const client = clientOf(server.url, { rateFile });
      expect((await client.json(`${server.url}/tags`)).value).toEqual(answer);
    },
  );
});

describe("client.download with validators", () => {
  it("is undefined where nothing has changed, is no download, and leaves no file", async () => {
    const etag = '"5ec2"';
    const server = await serve((request, response) => {
      if (request.headers["if-none-match"] === etag) response.writeHead(304).end();
      else response.writeHead(200, { etag }).end("the file");
    });
    const client = clientOf(server.url);
    const folder = temporaryFolder();
    const path = join(folder, "file");
    const url = `${server.url}/1?${signed}`;
    expect(await client.download(url, path, { validators: { etag } })).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
    expect(client.stats).toMatchObject({ requests: 1, downloads: 0, bytes: 0 });
    const options = { validators: { etag: '"old"' } };
    const file = await client.download(url, path, options);
    expect(file).toMatchObject({ bytes: 8, validators: { etag } });
    expect(client.stats).toMatchObject({ requests: 2, downloads: 1 });
    const failure = await failureOf(client.download(url, path, { ...options, maxBytes: 1 }));
    expect(failure.message).toBe("GET /1: file is above 1 bytes after 1 attempt");
  });
});

describe("client.originClock.serverNow", () => {
  it("is the time of the origin, as the last answer of its own shows it", async () => {
    let aheadMs = 0;
    const server = await serve((_, response) => {
      const date = new Date(clock.now() + aheadMs).toUTCString();
      sendJson(response, text, { date });
    });
    const clock = virtualClock();
    const client = clientOf(server.url, { clock });
    const ahead = [client.originClock.serverNow() - clock.now()];
    // Dates are cut to seconds and some time on their way: one of them moves nothing.
    for (aheadMs of [-1_000, 7_200_000, 7_201_000, -86_400_000, 0]) {
      await client.json(`${server.url}/tags`);
      ahead.push(client.originClock.serverNow() - clock.now());
    }
    expect(ahead).toEqual([0, 0, 7_200_000, 7_200_000, -86_400_000, 0]);
  });
});

describe("client.download", () => {
  const picture = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => i % 251));

  function sendPicture(response: ServerResponse, headers = {}): void {
    response.writeHead(200, { "content-type": "Image/JPEG; q=1", ...headers }).end(picture);
  }

  it("streams the bytes to a file, with their number, digest and type, and without the token", async () => {
    const server = await serve((_, response) => sendPicture(response));
    const client = clientOf(`${server.url}/api`);
    const path = join(temporaryFolder(), "picture");
    const result = await client.download(`${server.url}/api/images/1/download?${signed}`, path);
    expect(result).toEqual({
      bytes: 3_000_000,
      sha256: sha256(picture),
      type: "image/jpeg",
      openEnded: false,
      validators: undefined,
    });
    expect(readFileSync(path).equals(picture)).toBe(true);
    const [request] = server.requests;
    expect(request?.url).toBe(`/api/images/1/download?${signed}`);
    expect(request?.headers.authorization).toBeUndefined();
    expect(request?.headers["accept-encoding"]).toBe("identity");
    expect(client.stats).toEqual({
      requests: 1,
      downloads: 1,
      retries: 0,
      pauses: 0,
      bytes: 3_000_000,
    });
  });

  it.each([
    ["", "an empty file", undefined],
    ["text/html", "<p>", "text/html"],
    ["no type", "x", undefined],
  ])("takes what comes as %j", async (type, body, expected) => {
    const server = await serve((_, response) =>
      response.writeHead(200, type === "" ? {} : { "content-type": type }).end(body),
    );
    const path = join(temporaryFolder(), "file");
    const result = await clientOf(server.url).download(`${server.url}/1`, path);
    expect(result).toMatchObject({ bytes: body.length, sha256: sha256(body) });
    expect(result?.type).toBe(expected);
  });

  it("accepts a file of 0 bytes", async () => {
    const server = await serve((_, response) => response.end());
    const path = join(temporaryFolder(), "file");
    expect((await clientOf(server.url).download(`${server.url}/1`, path))?.bytes).toBe(0);
    expect(readFileSync(path)).toHaveLength(0);
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ])("undoes %s that nobody asked for", async (coding, compress) => {
    const server = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": coding }).end(compress("the file")),
    );
    const path = join(temporaryFolder(), "file");
    const result = await clientOf(server.url).download(`${server.url}/1`, path);
    expect(readFileSync(path, "utf8")).toBe("the file");
    expect(result).toMatchObject({ bytes: 8, sha256: sha256("the file") });
  });

  // Apache's AddEncoding labels .gz and .Z files so; S3 and its like keep the labels of an upload.
  it.each<[string, Buffer]>([
    ["x-gzip", gzipSync("a file that is packed by itself")],
    ["gzip", gzipSync("a file that is packed by itself")],
    ["br", brotliCompressSync("a file that is packed by itself")],
    ["x-compress", Buffer.from("1f9d9061", "hex")],
    ["zstd", Buffer.from("28b52ffd", "hex")],
    ["gzip, br", Buffer.from("x")],
  ])("keeps a file of the known size, whatever %s says", async (coding, body) => {
    const server = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": coding }).end(body),
    );
    const path = join(temporaryFolder(), "file");
    const client = clientOf(server.url);
    const result = await client.download(`${server.url}/1`, path, { knownBytes: body.length });
    expect(result).toMatchObject({ bytes: body.length, sha256: sha256(body) });
    expect(readFileSync(path).equals(body)).toBe(true);
  });

  it.each(["aws-chunked", "utf-8", "none", "binary", "gzip"])(
    "keeps a file that is not packed under the label %s",
    async (coding) => {
      const server = await serve((_, response) =>
        response.writeHead(200, { "content-encoding": coding }).end("the file"),
      );
      const path = join(temporaryFolder(), "file");
      await clientOf(server.url).download(`${server.url}/1`, path);
      expect(readFileSync(path, "utf8")).toBe("the file");
    },
  );

  it.each([
    ["a body shorter than its Content-Length", "Content-Length: 900\r\n\r\n12345"],
    ["a cut chunked body", "Transfer-Encoding: chunked\r\n\r\nff\r\n12345"],
    [
      "a cut gzip body",
      `Content-Encoding: gzip\r\n\r\n${gzipSync("x").subarray(0, 15).toString("latin1")}`,
    ],
  ])("fails on %s, and leaves no file behind", async (_name, rest) => {
    const server = await serveRaw((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`, "latin1"));
    const folder = temporaryFolder();
    const failure = await failureOf(
      clientOf(server.url).download(`${server.url}/1?${signed}`, join(folder, "file")),
    );
    expect(failure).toMatchObject({ status: 0, attempts: 5, exitCode: 8 });
    expect(server.requests).toHaveLength(5);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("leaves a cut body without a length to those who know the file's size", async () => {
    const server = await serveRaw((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n12345"));
    const path = join(temporaryFolder(), "file");
    const result = await clientOf(server.url).download(`${server.url}/1`, path);
    expect(result).toMatchObject({ bytes: 5, openEnded: true });
  });

  it.each([
    [false, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345"],
    [false, "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n12345"],
    [false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n"],
    [true, "HTTP/1.0 200 OK\r\n\r\n12345"],
    [true, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n12345"],
  ])(
    "says whether only the end of the connection ends a file: %s for %j",
    async (openEnded, bytes) => {
      const server = await serveRaw((socket) => socket.end(bytes));
      const path = join(temporaryFolder(), "file");
      const result = await clientOf(server.url).download(`${server.url}/1`, path);
      expect(result).toMatchObject({ bytes: 5, openEnded });
    },
  );

  it("keeps no more of a file than its Content-Length says", async () => {
    const server = await serveRaw((socket) =>
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345and more"),
    );
    const path = join(temporaryFolder(), "file");
    const result = await clientOf(server.url).download(`${server.url}/1`, path);
    expect(result).toMatchObject({ bytes: 5, sha256: sha256("12345") });
  });

  it("gives a file up, once, when all its attempts together take too long", async () => {
    const server = await serveRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n");
      const flow = setInterval(() => socket.write("x".repeat(1024)), 10);
      socket.on("close", () => clearInterval(flow));
      setTimeout(() => socket.destroy(), 150);
    });
    const folder = temporaryFolder();
    const client = clientOf(server.url, { limits: { downloadMs: 400 } });
    const failure = await failureOf(client.download(`${server.url}/1`, join(folder, "file")));
    // How many there are in that time is up to the machine.
    expect(failure.message).toMatch(
      /^GET \/1: download takes more than 0\.4 s after \d attempts?$/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it("goes on to another attempt with an empty file", async () => {
    const server = await serveRaw((socket, _, index) =>
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n${index === 0 ? "123" : "abcde"}`),
    );
    const path = join(temporaryFolder(), "file");
    const result = await clientOf(server.url).download(`${server.url}/1`, path);
    expect(result?.sha256).toBe(sha256("abcde"));
    expect(readFileSync(path, "utf8")).toBe("abcde");
  });

  it("cuts a slow drip by a timer", async () => {
    const server = await serveRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n");
      const drip = setInterval(() => socket.write("x"), 10);
      socket.on("close", () => clearInterval(drip));
    });
    const folder = temporaryFolder();
    const client = clientOf(server.url, { limits: { slowAfterMs: 50 } });
    const failure = await failureOf(client.download(`${server.url}/1`, join(folder, "file")));
    expect(failure.message).toBe(
      "GET /1: download is slower than 1024 bytes per second after 5 attempts",
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it("cuts a body that stops coming", async () => {
    const server = await serveRaw((socket, _, index) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n${index === 0 ? "xxx" : "whole"}`);
    });
    const client = clientOf(server.url, { limits: { idleMs: 100, slowAfterMs: 60_000 } });
    const path = join(temporaryFolder(), "file");
    expect((await client.download(`${server.url}/1`, path))?.sha256).toBe(sha256("whole"));
    expect(client.log).toEqual(["GET /1: answer stopped coming, again in 0.0 s"]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    [
      "its Content-Length says",
      (r) => r.writeHead(200, { "content-length": "70000" }).flushHeaders(),
    ],
    ["its body shows", (r) => r.writeHead(200).end(Buffer.alloc(70_000))],
    [
      "it unpacks to",
      (r) =>
        r.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(9_000_000))),
    ],
  ])("gives a file up that is too large, as %s", async (_name, send) => {
    const server = await serve((_, response) => send(response));
    const folder = temporaryFolder();
    const failure = await failureOf(
      clientOf(server.url).download(`${server.url}/1`, join(folder, "file"), { maxBytes: 65_536 }),
    );
    expect(failure.message).toBe("GET /1: file is above 65536 bytes after 1 attempt");
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    [
      403,
      1,
      "check that origin.baseUrl is the address for which the service signs its links, and origin.tokenPaths if its files need the token",
    ],
    [404, 1, "the origin lists this item but does not have its file"],
    [500, 5, undefined],
  ])(
    "ends with status %i after %i attempts, no file and no secret",
    async (status, attempts, hint) => {
      const server = await serve((_, response) => response.writeHead(status).end("refused"));
      const folder = temporaryFolder();
      const client = clientOf(`${server.url}/api`);
      const failure = await failureOf(
        client.download(
          `${server.url}/api/images/1.jpg?${signed}&X-Amz-Credential=k`,
          join(folder, "f"),
        ),
      );
      expect(failure).toMatchObject({
        status,
        attempts,
        hint,
        url: `${server.url}/api/images/1.jpg`,
      });
      expect(failure.message).toMatch(`GET /images/1.jpg: ${status} after `);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it("is an error of the disk, not of the origin, where the file cannot be written", async () => {
    const server = await serve((_, response) => sendPicture(response));
    const path = join(temporaryFolder(), "missing", "file");
    const failure = await failureOf(clientOf(server.url).download(`${server.url}/1`, path));
    expect(failure).toBeInstanceOf(StoreError);
    expect(failure.message).toBe(`${path} cannot be written: ENOENT`);
    expect(failure.exitCode).toBe(7);
    expect(server.requests).toHaveLength(1);
  });

  it("sends the token where a file is refused without it, behind redirects never, and learns where", async () => {
    const cdn = await serve((_, response) => sendPicture(response));
    const server = await serve((request, response) => {
      const isKnown = request.headers.authorization !== undefined;
      if (request.url?.startsWith("/api/files") && !isKnown) response.writeHead(401).end();
      else if (request.url?.startsWith("/api/files/2")) {
        response.writeHead(302, { location: `${cdn.url}/2` }).end();
      } else sendPicture(response);
    });
    const { host } = new URL(cdn.url);
    const client = clientOf(`${server.url}/api`, { origin: { allowHosts: [host] } });
    const path = join(temporaryFolder(), "file");
    const links = ["/api/files/1", "/api/files/2", "/public/3", `/api/open/4?${signed}`];
    for (const link of links) {
      const id = /\d/.exec(link)?.[0];
      await client.download(`${server.url}${link}`, path, id === undefined ? {} : { id });
    }
    const sent = [...server.requests, ...cdn.requests].map(({ url, headers }) => [
      url?.replace(/\?.*/, ""),
      headers.authorization,
    ]);
    expect(sent).toEqual([
      ["/api/files/1", undefined],
      ["/api/files/1", `Bearer ${token}`],
      ["/api/files/2", `Bearer ${token}`],
      ["/public/3", undefined],
      ["/api/open/4", undefined],
      ["/2", undefined],
    ]);
  });

  it("asks other hosts only where the configuration allows them", async () => {
    const cdn = await serve((_, response) => sendPicture(response));
    const { host } = new URL(cdn.url);
    const path = join(temporaryFolder(), "file");
    const failure = await failureOf(
      clientOf("http://127.0.0.1:9/api").download(`${cdn.url}/1.jpg?${signed}`, path),
    );
    expect(failure.message).toBe(`${cdn.url}/1.jpg: host is not in origin.allowHosts`);
    expect(failure.hint).toBe(
      `add "${host}" to origin.allowHosts if the service keeps its files there`,
    );
    expect(cdn.requests).toEqual([]);
    for (const allowed of [host, "127.0.0.1"]) {
      const client = clientOf("http://localhost:9/api", { origin: { allowHosts: [allowed] } });
      expect((await client.download(`${cdn.url}/1.jpg?${signed}`, path))?.bytes).toBe(3_000_000);
    }
    expect(cdn.requests.map((request) => request.headers.authorization)).toEqual([
      undefined,
      undefined,
    ]);
  });

  // RFC 3986, 2.5, and RFC 9110, 5.5: bytes beyond ASCII have no meaning of their own, so each is encoded as it came.
  it.each<[string, BufferEncoding, string, string]>([
    ["UTF-8", "utf8", "/größe.jpg", "/gr%C3%B6%C3%9Fe.jpg"],
    ["Latin-1", "latin1", "/größe.jpg", "/gr%F6%DFe.jpg"],
    ["a query in Latin-1", "latin1", "/x?name=é&a=%C3%A9", "/x?name=%E9&a=%C3%A9"],
    ["letters of four bytes", "utf8", "/🌊/x.jpg", "/%F0%9F%8C%8A/x.jpg"],
    ["both in turn", "latin1", "/Ã¶/ö.jpg", "/%C3%B6/%F6.jpg"],
    ["a space", "latin1", "/a b.jpg", "/a%20b.jpg"],
    ["nothing to encode", "latin1", "/a%20b.jpg", "/a%20b.jpg"],
  ])("follows a Location with %s as it was meant", async (_, encoding, written, asked) => {
    const server = await serveRaw((socket, request) => {
      const isFirst = request.startsWith("GET /1 ");
      const head = isFirst ? `302 Found\r\nLocation: ${written}` : "200 OK";
      socket.end(Buffer.from(`HTTP/1.1 ${head}\r\nContent-Length: 0\r\n\r\n`, encoding));
    });
    const path = join(temporaryFolder(), "file");
    await clientOf(server.url).download(`${server.url}/1`, path);
    expect(server.requests[1]).toMatch(`GET ${asked} HTTP/1.1\r\n`);
  });

  it.each([
    ["/größe.jpg", 404, 302],
    ["/größe.jpg", 410, 302],
    ["/a b.jpg", 404, 302],
    ["/a%20b.jpg", 404, 404],
    ["/gone.jpg", 410, 410],
  ])(
    "takes no absence behind a Location %s that it had to encode: %i",
    async (to, answer, status) => {
      const server = await serveRaw((socket, request) => {
        const isFirst = request.startsWith("GET /1 ");
        const head = isFirst ? `302 Found\r\nLocation: ${to}` : `${answer} No`;
        socket.end(Buffer.from(`HTTP/1.1 ${head}\r\nContent-Length: 0\r\n\r\n`, "latin1"));
      });
      const path = join(temporaryFolder(), "file");
      const failure = await failureOf(clientOf(server.url).download(`${server.url}/1`, path));
      expect(failure.status).toBe(status);
    },
  );

  it("follows redirects to allowed hosts, and to no other", async () => {
    const cdn = await serve((_, response) => sendPicture(response));
    const server = await serve((_, r) =>
      r.writeHead(302, { location: `${cdn.url}/1?key=k` }).end(),
    );
    const { host } = new URL(cdn.url);
    const path = join(temporaryFolder(), "file");
    const failure = await failureOf(
      clientOf(server.url).download(`${server.url}/1?${signed}`, path),
    );
    expect(failure.message).toBe(`GET /1: redirect to ${cdn.url} is not allowed after 1 attempt`);
    expect(failure.hint).toContain(`add "${host}" to origin.allowHosts`);
    const client = clientOf(server.url, { origin: { allowHosts: [host] } });
    expect((await client.download(`${server.url}/1?${signed}`, path))?.bytes).toBe(3_000_000);
    expect(cdn.requests.map((request) => request.url)).toEqual(["/1?key=k"]);
  });

  it.each(["data:image/png;base64,AAAA", "ftp://example.org/1", "http://[", "javascript:alert(1)"])(
    "refuses %s as a link",
    async (link) => {
      const path = join(temporaryFolder(), "file");
      const failure = await failureOf(clientOf("http://127.0.0.1:9").download(link, path));
      expect(failure).toBeInstanceOf(ApiError);
      expect(failure.message).toBe("link is not an http(s) URL");
    },
  );

  it("carries no signature in the open to a host that speaks https", async () => {
    // This one does not, and so shows that the link's own http was not used.
    const server = await serve((_, response) => sendPicture(response));
    const client = clientOf(server.url.replace("http:", "https:"));
    const path = join(temporaryFolder(), "file");
    const failure = await failureOf(client.download(`${server.url}/1?${signed}`, path));
    expect(failure).toMatchObject({ status: 0, url: `${server.url.replace("http:", "https:")}/1` });
    expect(server.requests).toEqual([]);
  });

  it("resolves a link without a host against the API's address", async () => {
    const server = await serve((_, response) => sendPicture(response));
    const path = join(temporaryFolder(), "file");
    await clientOf(`${server.url}/api`).download(`/files/1?${signed}`, path);
    expect(server.requests[0]?.url).toBe(`/files/1?${signed}`);
  });
});

describe("secrets", () => {
  it("stand in no error, hint, cause or log line, whatever fails", async () => {
    const server = await serve((request, response) => {
      if (request.url?.startsWith("/loop"))
        response.writeHead(302, { location: request.url }).end();
      else if (request.url?.startsWith("/cut")) response.destroy();
      else if (request.url?.startsWith("/html")) response.end(`<p>${token} ${signed}`);
      else response.writeHead(Number(request.url?.slice(1, 4))).end(`${token} ${signed}`);
    });
    const client = clientOf(server.url);
    const path = join(temporaryFolder(), "file");
    const failures: unknown[] = [];
    for (const name of ["loop", "cut", "401", "403", "404", "500"]) {
      const url = `${server.url}/${name}?${signed}`;
      failures.push(await failureOf(client.json(url)), await failureOf(client.download(url, path)));
    }
    failures.push(await failureOf(client.json(`${server.url}/html`)));
    failures.push(await failureOf(client.download(`http://other.example.org/1?${signed}`, path)));
    failures.push(await failureOf(client.download(`http://[::bad/1?${signed}`, path)));
    expect(failures).toHaveLength(15);
    expect(client.log.length).toBeGreaterThan(0);
    const told = inspect([failures, client.log], { depth: 9 });
    expect(told).not.toMatch(/signature|expires|f00d5ec2e7|secret-token/);
  });
});

describe("an aborted client", () => {
  const reason = new Interrupted("SIGINT");
  const limits = { drainMs: 60 };

  /** Runs work, aborts as soon as `ready` says so, and tells the outcome. */
  async function abortDuring(
    work: (signal: AbortSignal) => Promise<unknown>,
    ready: () => boolean,
  ): Promise<unknown> {
    const controller = new AbortController();
    const failure = failureOf(work(controller.signal));
    while (!ready()) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(reason);
    return await failure;
  }

  it("waits for headers no longer than it may drain", async () => {
    const server = await serve(() => {});
    const failure = await abortDuring(
      (signal) => clientOf(server.url, { signal, limits }).json(`${server.url}/1`),
      () => server.requests.length === 1,
    );
    expect(failure).toBe(reason);
  });

  it("stops in the middle of an answer after that", async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-length": "900" }).write("{");
    });
    const failure = await abortDuring(
      (signal) => clientOf(server.url, { signal, limits }).json(`${server.url}/1`),
      () => server.requests.length === 1,
    );
    expect(failure).toBe(reason);
  });

  it("stops in the middle of a download after that, and leaves no file behind", async () => {
    const server = await serve((_, response) => {
      response.writeHead(200).write(Buffer.alloc(2_000_000));
    });
    const folder = temporaryFolder();
    const path = join(folder, "file");
    const failure = await abortDuring(
      (signal) => clientOf(server.url, { signal, limits }).download(`${server.url}/1`, path),
      () => existsSync(path),
    );
    expect(failure).toBe(reason);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("lets what is underway come to its end, and gives it out", async () => {
    const finish: (() => void)[] = [];
    const server = await serve((request, response) => {
      if (request.url === "/first") return sendJson(response);
      response.writeHead(200, { "content-length": 5 }).write("123");
      finish.push(() => response.end("45"));
    });
    const controller = new AbortController();
    const client = clientOf(server.url, { signal: controller.signal });
    const path = join(temporaryFolder(), "file");
    await client.json(`${server.url}/first`);
    const answer = client.json(`${server.url}/2`);
    const file = client.download(`${server.url}/3`, path);
    while (finish.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    controller.abort(reason);
    expect(await failureOf(client.json(`${server.url}/4`))).toBe(reason);
    for (const each of finish) each();
    expect((await answer).value).toBe(12345);
    expect((await file)?.sha256).toBe(sha256("12345"));
    expect(server.requests).toHaveLength(3);
  });

  it("tries nothing again that fails while it drains", async () => {
    const server = await serve((_, response) => {
      setTimeout(() => response.writeHead(503).end(), 30);
    });
    const failure = await abortDuring(
      (signal) => clientOf(server.url, { signal }).json(`${server.url}/1`),
      () => server.requests.length === 1,
    );
    expect(failure).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["the next attempt", 500, {}],
    ["the origin", 429, { "retry-after": "600" }],
  ])("stops while it waits for %s", async (_name, status, headers) => {
    const server = await serve((_, response) => response.writeHead(status, headers).end());
    const limits = { firstDelayMs: 600_000 };
    let log: string[] = [];
    const failure = await abortDuring(
      (signal) => {
        const client = clientOf(server.url, { signal, limits });
        log = client.log;
        return client.json(`${server.url}/1`);
      },
      () => log.length === 1,
    );
    expect(failure).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it("stops while it waits for its own rate", async () => {
    const server = await serve((_, response) => sendJson(response));
    const origin = { rate: { requests: 1, perSeconds: 600 } };
    let answered = false;
    const failure = await abortDuring(
      async (signal) => {
        const client = clientOf(server.url, { signal, origin });
        await client.json(`${server.url}/1`);
        answered = true;
        await client.json(`${server.url}/2`);
      },
      () => answered,
    );
    expect(failure).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it("starts nothing more", async () => {
    const server = await serve((_, response) => sendJson(response));
    const client = clientOf(server.url, { signal: AbortSignal.abort(reason) });
    const path = join(temporaryFolder(), "file");
    expect(await failureOf(client.json(`${server.url}/1`))).toBe(reason);
    expect(await failureOf(client.download(`${server.url}/1`, path))).toBe(reason);
    expect(server.requests).toEqual([]);
  });
});

function plainly(label: string): [string, Buffer] {
  return [label, Buffer.from(text)];
}

import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigError } from "../../src/errors.ts";
import type { AnswerEntry, RunningServer } from "../../src/serve/server.ts";
import { startServer } from "../../src/serve/server.ts";
import { type Fixture, ids, makeFixture } from "../mirror/fixture.ts";

const [first = ""] = ids.articles;
const [one = "", two = ""] = ids.images;
const api = "/api/v1";

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

let folder: string;
let fixture: Fixture;
let server: RunningServer;
const log: AnswerEntry[] = [];

/** A request with its path sent exactly as given, which fetch would tidy up. */
function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: "127.0.0.1", port: server.port, path, method, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    request.on("error", reject).end();
  });
}

const json = async (path: string) => JSON.parse(String((await get(path)).body));

function write(build: string, path: string, content: string | Uint8Array): void {
  const target = join(folder, "builds", build, "public", path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}

function publish(build: string): void {
  symlinkSync(join("builds", build, "public"), join(folder, "next"));
  renameSync(join(folder, "next"), join(folder, "public"));
}

async function picture(width: number, height: number, format: "jpeg" | "png"): Promise<Buffer> {
  const create = { width, height, channels: 3 as const, background: "#357" };
  return sharp({ create }).toFormat(format).toBuffer();
}

beforeAll(async () => {
  fixture = makeFixture();
  folder = mkdtempSync(join(tmpdir(), "stillpress-serve-"));
  for (const [path, file] of fixture.files()) {
    if ("content" in file) write("1", path, file.content());
  }
  write("1", "index.html", `<!doctype html><title>Home</title>${"<p>text</p>".repeat(500)}`);
  write("1", "404.html", "<!doctype html><title>Not found</title>");
  write("1", "articles/index.html", "articles");
  write("1", "assets/a.css", "p{}");
  write("1", "media/ab/film.mp4", "0123456789");
  for (const id of [one, two]) {
    write("1", `api/v1/images/${id}.jpg`, await picture(800, 400, "jpeg"));
    write("1", `api/v1/images/by/width/320/${id}.jpg`, await picture(320, 160, "jpeg"));
    write("1", `api/v1/images/by/width/640/${id}.jpg`, await picture(640, 320, "jpeg"));
    write("1", `api/v1/images/by/thumb/square/${id}.jpg`, await picture(300, 300, "jpeg"));
    write("1", `api/v1/images/by/scale/100/${id}.jpg`, await picture(1000, 500, "jpeg"));
  }
  write("1", `api/v1/images/by/download/${one}.png`, await picture(1000, 500, "png"));
  write("2", "index.html", "second build");
  write(
    "2",
    "api/v1/mirror.json",
    String(readFileSync(join(folder, "builds/1/public/api/v1/mirror.json"))),
  );
  writeFileSync(join(folder, "secret.txt"), "outside");
  symlinkSync(join(folder, "secret.txt"), join(folder, "builds/1/public/leak.txt"));
  publish("1");
  server = await startServer({
    publicRoot: join(folder, "public"),
    root: "api/v1",
    names: ["archive.test"],
    log: (entry) => log.push(entry),
  });
});

afterAll(async () => {
  await server.close();
  fixture.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("the site", () => {
  it.each([
    ["/", 200, "text/html; charset=utf-8"],
    ["/?x=1", 200, "text/html; charset=utf-8"],
    ["/index.html", 200, "text/html; charset=utf-8"],
    ["/articles/", 200, "text/html; charset=utf-8"],
    ["/assets/a.css", 200, "text/css; charset=utf-8"],
    ["/media/ab/film.mp4", 200, "video/mp4"],
    ["/.nojekyll", 200, "application/octet-stream"],
    ["/nothing", 404, "text/html; charset=utf-8"],
    ["/index.html/", 404, "text/html; charset=utf-8"],
    ["/leak.txt", 404, "text/html; charset=utf-8"],
    ["/../secret.txt", 400, "text/plain; charset=utf-8"],
    ["/%2e%2e/%2e%2e/%2e%2e/secret.txt", 400, "text/plain; charset=utf-8"],
    ["/..%5csecret.txt", 400, "text/plain; charset=utf-8"],
    ["//127.0.0.1/", 404, "text/html; charset=utf-8"],
    ["/..%2fsecret.txt", 404, "text/html; charset=utf-8"],
  ])("answers %s with %i, %s", async (path, status, type) => {
    const answer = await get(path);
    expect([answer.status, answer.headers["content-type"]]).toEqual([status, type]);
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    expect(String(answer.body)).not.toContain("outside");
  });

  it("does not look at a query of 10 kB", async () => {
    for (const path of ["/", `${api}/articles`]) {
      expect((await get(`${path}?page=1&x=${"x".repeat(10_000)}`)).status).toBe(414);
    }
  });

  it("redirects to a folder's own address, so that relative links hold", async () => {
    const answer = await get("/articles?x=1");
    expect([answer.status, answer.headers.location]).toEqual([302, "/articles/?x=1"]);
  });

  it.each([
    ["POST", "/", "GET, HEAD"],
    ["OPTIONS", "/", "GET, HEAD"],
    ["DELETE", `${api}/articles`, "GET, HEAD, OPTIONS"],
  ])("refuses %s %s", async (method, path, allow) => {
    const answer = await get(path, {}, method);
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
  });
});

describe("the API", () => {
  it("answers the origin's paths and query strings", async () => {
    expect((await json(`${api}/articles`)).meta.current_page).toBe(1);
    expect((await json(`${api}/articles?page=2`)).meta.current_page).toBe(2);
    expect((await json(`${api}/articles/${first}`)).data.id).toBe(first);
    expect((await json(`${api}/articles/${first}/images?page=2`)).meta.current_page).toBe(2);
    expect((await json(`${api}/tags`)).data).toHaveLength(1);
    expect((await json(`${api}/images/${one}?expires=1&signature=ab`)).data.id).toBe(one);
  });

  it("answers the mirror's file names as well", async () => {
    expect((await json(`${api}/articles/page/2.json`)).meta.current_page).toBe(2);
    expect((await json(`${api}/articles/${first}.json`)).data.id).toBe(first);
    expect((await json(`${api}/articles/`)).meta.current_page).toBe(1);
  });

  it.each([
    `${api}/articles?page=99`,
    `${api}/articles?page=0`,
    `${api}/articles?page=two`,
    `${api}/articles?year=2024&page=99`,
    `${api}/articles?year=now`,
    `${api}/articles%2f${first}`,
    `${api}/Articles`,
    `${api}/articles/nothing`,
    `${api}/images/${ids.unprovedImage}.jpg`,
    `${api}/images/nothing.jpg?width=1`,
    api,
    `${api}/`,
  ])("has a JSON 404 for %s", async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers["content-type"]]).toEqual([404, "application/json"]);
    expect(JSON.parse(String(answer.body)).message).toMatch(/^Not found/);
  });

  it("may be used from other sites, with the headers of the API's clients", async () => {
    const headers = {
      Host: "archive.test",
      Origin: "https://else.test",
      "Access-Control-Request-Headers": "authorization",
    };
    const answer = await get(`${api}/articles`, headers, "OPTIONS");
    expect(answer.status).toBe(204);
    expect(answer.headers["access-control-allow-headers"]).toMatch(/Authorization, Content-Type/);
    expect((await get(`${api}/articles`)).headers["access-control-allow-origin"]).toBe("*");
  });

  it("logs without signatures", async () => {
    await get(`${api}/images/${one}.jpg?expires=9&width=320&signature=abc`);
    expect(log.at(-1)).toEqual({
      method: "GET",
      url: `${api}/images/${one}.jpg?width=320`,
      status: 200,
    });
  });
});

describe("images", () => {
  it.each([
    ["web version", one, "", 800, 400],
    ["precomputed", one, "?width=320&signature=x", 320, 160],
    ["a thumbnail", one, "?thumb=1", 300, 300],
    ["made from the original", one, "?width=500", 500, 250],
    ["a box, cropped", one, "?width=100&height=100", 100, 100],
    ["a percentage", one, "?scale=10", 100, 50],
    ["never above the original", one, "?width=9000", 1000, 500],
    ["a thumbnail that was not made", one, "?orientation=p&thumb=1", 300, 400],
    ["nearest without an original", two, "?width=500", 640, 320],
    ["sides before a percentage", one, "?width=500&height=300&scale=10", 500, 300],
    ["the original's size without an original", two, "?width=1601", 1000, 500],
    ["never above it", two, "?width=9000", 1000, 500],
    ["not above it by a percentage", two, "?scale=200", 1000, 500],
    ["the next percentage", two, "?scale=70", 1000, 500],
    ["a larger box of the same shape without an original", two, "?width=200&height=200", 300, 300],
    ["sides before a percentage without an original", two, "?width=300&scale=70", 320, 160],
  ])("%s: %s%s is %i×%i", async (_, id, query, width, height) => {
    const answer = await get(`${api}/images/${id}.jpg${query}`);
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "image/jpeg"]);
    expect(await sharp(answer.body).metadata()).toMatchObject({ format: "jpeg", width, height });
  });

  it("has no other picture for a box of another shape without an original", async () => {
    const answer = await get(`${api}/images/${two}.jpg?width=500&height=300`);
    expect([answer.status, answer.headers["content-type"]]).toEqual([404, "application/json"]);
  });

  it("answers many requests for one size that has to be made", async () => {
    const path = `${api}/images/${one}.jpg?width=333`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(path)));
    expect(new Set(answers.map((answer) => answer.headers.etag)).size).toBe(1);
    const again = await get(path, { "If-None-Match": String(answers[0]?.headers.etag) });
    expect(again.status).toBe(304);
  });

  it("sends an original as what it is", async () => {
    const answer = await get(`${api}/images/${one}/download?expires=1&signature=x`);
    expect(answer.headers["content-type"]).toBe("image/png");
    expect(answer.headers["content-disposition"]).toBe("attachment");
  });
});

describe("HTTP", () => {
  it("answers 304 to who has the file, also behind a proxy that compresses", async () => {
    const { headers } = await get("/");
    for (const etag of [String(headers.etag), `W/${headers.etag}`]) {
      const answer = await get("/", { "If-None-Match": etag });
      expect([answer.status, answer.body.length]).toEqual([304, 0]);
      expect(answer.headers.etag).toBe(headers.etag);
    }
    const since = { "If-Modified-Since": String(headers["last-modified"]) };
    expect((await get("/", since)).status).toBe(304);
  });

  it("gives the headers alone for HEAD", async () => {
    const answer = await get("/media/ab/film.mp4", {}, "HEAD");
    expect([answer.status, answer.headers["content-length"], answer.body.length]).toEqual([
      200,
      "10",
      0,
    ]);
    expect((await get(`${api}/nothing`, {}, "HEAD")).body.length).toBe(0);
  });

  it.each([
    ["bytes=2-4", 206, "234", "bytes 2-4/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=8-", 206, "89", "bytes 8-9/10"],
    ["bytes=10-", 416, "", "bytes */10"],
    ["bytes=0-1,3-4", 200, "0123456789", undefined],
  ])("sends %s of a film", async (range, status, body, contentRange) => {
    const answer = await get("/media/ab/film.mp4", { Range: range, "Accept-Encoding": "gzip" });
    expect([answer.status, String(answer.body), answer.headers["content-range"]]).toEqual([
      status,
      body,
      contentRange,
    ]);
  });

  it("survives clients that go away", async () => {
    await new Promise<void>((resolve) => {
      const request = httpRequest(
        { host: "127.0.0.1", port: server.port, path: "/" },
        (response) => {
          response.destroy();
          resolve();
        },
      );
      request.on("error", () => resolve()).end();
    });
    expect((await get("/")).status).toBe(200);
  });

  it("shows another build as soon as it is swapped in, and says when there is none", async () => {
    publish("2");
    expect(String((await get("/")).body)).toBe("second build");
    publish("1");
    expect(String((await get("/")).body)).toContain("Home");
    renameSync(join(folder, "public"), join(folder, "away"));
    expect((await get("/")).status).toBe(503);
    renameSync(join(folder, "away"), join(folder, "public"));
  });

  it("says which port is taken", async () => {
    const second = startServer({ publicRoot: folder, root: "api/v1", port: server.port });
    await expect(second).rejects.toThrow(ConfigError);
    await expect(second).rejects.toThrow(`port ${server.port} on 127.0.0.1 is taken`);
  });
});

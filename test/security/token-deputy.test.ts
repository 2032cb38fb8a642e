// An author who may say where the file of his item is, and names what only our token can read; also through a redirect.
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAnswerAddress, tokenScope } from "../../src/api/file-address.ts";
import { createLinkBook } from "../../src/api/links.ts";
import { ConfigSchema } from "../../src/config.ts";
import type { Image } from "../../src/demo/model.ts";
import { type Personality, personalities } from "../../src/demo/options.ts";
import { createRoutes, type JsonRequest, type MediaKind } from "../../src/routes/table.ts";
import { clientOf, serve, temporaryFolder } from "../api/support.ts";
import { articleOf, id, imageOf, picture, useStage } from "../media/fixture.ts";

const stage = useStage();
const { start, configOf, crawl, media } = stage;

const [privateId, articleId, ownId] = [id(666), id(7), id(5_000)];
const plain = { formats: ["jpeg"], variants: [] };

async function privateImage(): Promise<Image> {
  return await imageOf(666, await picture(1), { private: true });
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** A server that takes every spelling of a path for the plain one, as one or another of them does. */
function leniently(url: string): string {
  let [path = "", query] = url.split("?");
  for (let at = 0; at < 4; at++) path = path.replace(/%25|%[2-7][0-9a-f]/gi, decodeURIComponent);
  const plain = new URL(
    `http://x${path
      .toLowerCase()
      .replace(/;[^/]*/g, "")
      .replaceAll("//", "/")}`,
  ).pathname
    .replace(/(.)\/$/, "$1")
    .replace(/\.(?:json|xml)$/, "");
  return plain + (query === undefined ? "" : `?${query}`);
}

interface Attack {
  /** Members of the one document that the origin lists. */
  document?: (baseUrl: string) => object;
  images?: Image[];
  origin?: object;
  /** Answers what the origin does not. */
  also?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** A night with one document in an attacker's words, at an origin that also has a private image. */
async function night({ document, images = [], origin = {}, also }: Attack) {
  const list = (baseUrl: string) => ({
    data: [
      {
        id: ownId,
        title: "A paper",
        filesize: 0,
        links: { view: "https://example.org/papers/1" },
        ...document?.(baseUrl),
      },
    ],
    links: { first: null, last: null, prev: null, next: null },
    meta: { current_page: 1, from: 1, to: 1, last_page: 1, per_page: 20, total: 1 },
  });
  const started = await start(
    { images: [await privateImage(), ...images], articles: [articleOf(7, [])] },
    {
      intercept(request, response) {
        const { url = "", headers } = request;
        if (document && /^\/api\/v1\/documents(?:\?|$)/.test(url)) {
          sendJson(response, list(`http://${headers.host}/api/v1`));
          return true;
        }
        if (also?.(request, response)) return true;
        request.url = leniently(url);
        return false;
      },
    },
  );
  const config = configOf({ origin, media: plain });
  const links = createLinkBook();
  const manifest = await crawl(config, links);
  const result = await media(config, manifest, { links });
  return { ...result, base: started.baseUrl, kept: keptText("documents", ownId) };
}

/** What the store holds as the file of an item; undefined for nothing. */
function keptText(kind: MediaKind, item: string): string | undefined {
  const entry = stage.store.media.get(kind, item);
  return entry && readFileSync(stage.store.blobs.own.pathOf(entry.original.blob), "utf8");
}

/** Requests of the stage that carried the token, but for the lists that it reads for fresh links. */
function withToken(): string[] {
  const own =
    /^\/api\/v1\/(?:documents|images)\?page=\d+$|^\/api\/v1\/(?:documents|images|articles)$/;
  const sent = stage.origin.requests.filter(({ authorization }) => authorization);
  return sent.map(({ url }) => url).filter((url) => !own.test(url));
}

const jsonAddresses = [
  "{base}/images?private=1",
  "{base}/images/?private=1",
  "{base}/images?private=1&expires=1999999999&signature=x",
  "{base}/IMAGES?private=1",
  "{base}/%69mages?private=1",
  "{base}/%2569mages?private=1",
  "{base}//images?private=1",
  "{base}/./x/../images?private=1",
  `{base}/documents/${ownId}/..%2f..%2fimages?private=1`,
  `{base}/documents/${ownId}/%2e%2e%5c%2e%2e/images?private=1`,
  `{base}/${ownId}/..;/images?private=1`,
  `{base}/images;id=${ownId}?private=1`,
  "{base}/images.json?private=1",
  "{base}/images?private=1#paper.pdf",
  "{base}/../V1/images?private=1",
  "/api/v1/images?private=1",
  "//{host}/api/v1/images?private=1",
  "http://user:password@{host}/api/v1/images?private=1",
  `{base}/images/${privateId}`,
  `{base}/images/${privateId}/`,
  "{base}/articles",
  `{base}/articles/${articleId}`,
  `{base}/articles/${articleId.toUpperCase()}?format=pdf`,
  `{base}/articles/${articleId}/images`,
  "{base}/galleries?page=1",
  `{base}/galleries/${ownId}`,
  "{base}/categories",
  "{base}/tags?x=1",
  "{base}/documents?page=1",
];

function spell(address: string, baseUrl: string): string {
  return address.replace("{base}", baseUrl).replace("{host}", new URL(baseUrl).host);
}

describe("an address of the API's answers", () => {
  it.each(jsonAddresses)("is no file, and is not asked for: %s", async (address) => {
    const { kept, problems, remarks, downloaded } = await night({
      document: (base) => ({ file: spell(address, base) }),
    });
    expect(kept).toBeUndefined();
    expect(withToken()).toEqual([]);
    expect(downloaded).toBe(0);
    // The item has no file; the night is whole.
    expect(problems).toEqual([]);
    expect(remarks.first).toEqual([
      {
        subject: `document ${ownId}`,
        remark: "its address is one of the API's answers",
      },
    ]);
  });

  it("is no file either where the documented member names it", async () => {
    const { kept, problems } = await night({
      document: (base) => ({ links: { view: null, download: `${base}/images?private=1` } }),
    });
    expect([kept, problems, withToken()]).toEqual([undefined, [], []]);
  });

  it("is passed over where another member names a file", async () => {
    const { url: cdn } = await serve((_, response) => response.end("%PDF-1.4 paper"));
    const { kept, problems } = await night({
      document: (base) => ({ links: { download: `${base}/tags` }, file: `${cdn}/1.pdf` }),
      origin: { allowHosts: [new URL(cdn).host] },
    });
    expect([kept, problems, withToken()]).toEqual(["%PDF-1.4 paper", [], []]);
  });

  it("is no original of an image, whose web version takes its place", async () => {
    const image = await imageOf(1, await picture(2));
    let taken = 0;
    const { problems } = await night({
      images: [image],
      also({ url = "" }, response) {
        if (!/^\/api\/v1\/images(?:\?|$)/.test(url)) return false;
        taken++;
        const links = {
          download: `http://${stage.origin.baseUrl.split("/")[2]}/api/v1/categories`,
          web: `/api/v1/web/${image.id}.jpg`,
        };
        const data = [{ id: image.id, title: "", filesize: 0, links }];
        const meta = { current_page: 1, from: 1, to: 1, last_page: 1, per_page: 20, total: 1 };
        sendJson(response, { data, links: {}, meta });
        return true;
      },
    });
    expect(taken).toBeGreaterThan(0);
    expect(withToken()).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.reason).toContain("/web/");
  });
});

describe("the token stays away from", () => {
  const secret = "what only the token may read";
  /** Answers secret things to whoever shows a token, at any path below `/x`. */
  const guarded = ({ url = "", headers }: IncomingMessage, response: ServerResponse): boolean => {
    if (!url.startsWith("/api/v1/x/") && !url.startsWith("/api/v1evil")) return false;
    if (headers.authorization === undefined) response.writeHead(401).end();
    else response.end(secret);
    return true;
  };

  it.each([
    ["a path that does not name the item", "{base}/x/members"],
    ["the file of another item", `{base}/x/${id(5_001)}/file`],
    ["a part of a segment", `{base}/x/${ownId}.pdf`],
    ["a query that names the item", `{base}/x/members?id=${ownId}`],
    ["a path that leads away from the item", `{base}/x/${ownId}/..%2fmembers`],
    ["the same with a double escape", `{base}/x/${ownId}/%252e%252e/members`],
    ["the same with a backslash", `{base}/x/${ownId}/..%5Cmembers`],
    ["the same with a parameter", `{base}/x/${ownId}/..;a=1/members`],
    ["an empty segment behind the item", `{base}/x/${ownId}//members`],
    ["a path that only begins like the API's", "{base}evil/x"],
    ["a path that begins like the API's and names the item", `{base}evil/${ownId}`],
    ["a prefix in another spelling", "{base}/x/open%2f..%2fmembers"],
    ["a path that only begins like a prefix", "{base}/x/opened/1"],
    ["a signed link", `{base}/x/${ownId}/file?signature=1`],
  ])("%s", async (_, address) => {
    const { kept, problems } = await night({
      document: (base) => ({ file: spell(address, base) }),
      origin: { tokenPaths: ["/x/open"] },
      also: guarded,
    });
    expect(kept).toBeUndefined();
    expect(withToken()).toEqual([]);
    expect(problems).toHaveLength(1);
  });

  it("a file of the item that answers without it", async () => {
    const { kept, problems } = await night({
      document: (base) => ({ file: `${base}/x/${ownId}/file` }),
      also({ url }, response) {
        if (url !== `/api/v1/x/${ownId}/file`) return false;
        response.end("a paper");
        return true;
      },
    });
    expect([kept, problems, withToken()]).toEqual(["a paper", [], []]);
  });

  it("another scheme, port or host", async () => {
    const seen: (string | undefined)[] = [];
    const { url: other } = await serve(({ headers }, response) => {
      seen.push(headers.authorization);
      response.writeHead(401).end();
    });
    const { problems } = await night({
      document: () => ({ file: `${other}/api/v1/documents/${ownId}/download` }),
      origin: { allowHosts: ["127.0.0.1"] },
    });
    expect(problems).toHaveLength(1);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((header) => header !== undefined)).toEqual([]);
  });

  it.each([
    // No file is there, which is no gap.
    ["a CDN that sends back to the API", true, "/api/v1/images?private=1", 0],
    ["the item's own path", false, "/api/v1/images?private=1", 0],
    ["the item's own path, to another path of it", false, `/api/v1/x/${ownId}/more`, 1],
    ["a CDN, to the item's own path", true, `/api/v1/x/${ownId}/more`, 1],
  ])("whatever a redirect leads to: from %s", async (_, fromCdn, target, gaps) => {
    const { url: cdn } = await serve((_, response) =>
      response.writeHead(302, { location: `${stage.origin.baseUrl.slice(0, -7)}${target}` }).end(),
    );
    const { kept, problems } = await night({
      document: (base) => ({ file: fromCdn ? `${cdn}/1` : `${base}/x/${ownId}/file` }),
      origin: { allowHosts: [new URL(cdn).host] },
      also(request, response) {
        if (request.url !== `/api/v1/x/${ownId}/file`) return guarded(request, response);
        response.writeHead(302, { location: target }).end();
        return true;
      },
    });
    expect(kept).toBeUndefined();
    expect(withToken().filter((url) => url !== `/api/v1/x/${ownId}/file`)).toEqual([]);
    expect(problems).toHaveLength(gaps);
  });
});

it("a document that is JSON of its own stays a file", async () => {
  const text = JSON.stringify({ data: [{ id: 1 }], links: { next: null }, meta: { path: "a/b" } });
  const { url: cdn } = await serve((_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(text),
  );
  const { kept, problems } = await night({
    document: () => ({ file: `${cdn}/data.json` }),
    origin: { allowHosts: [new URL(cdn).host] },
  });
  expect([kept, problems]).toEqual([text, []]);
});

describe("a service whose files need the token keeps them", () => {
  it("below a prefix that the operator gave", async () => {
    const { kept, problems } = await night({
      document: (base) => ({ file: `${base}/store/2024/paper.pdf` }),
      origin: { tokenPaths: ["/store/"] },
      also({ url, headers }, response) {
        if (url !== "/api/v1/store/2024/paper.pdf") return false;
        if (headers.authorization === undefined) response.writeHead(401).end();
        else response.end("%PDF-1.4 paper");
        return true;
      },
    });
    expect([kept, problems]).toEqual(["%PDF-1.4 paper", []]);
  });
});

describe("what the client is asked for by init, plan and compare", () => {
  it.each(["/images?private=1", "/images/7", "/Articles/7/", "//tags"])(
    "is not requested where it is an answer of the API: %s",
    async (path) => {
      const server = await serve((_, response) => sendJson(response, { data: [] }));
      const client = clientOf(`${server.url}/api/v1`);
      const file = join(temporaryFolder(), "file");
      await expect(
        client.download(`${server.url}/api/v1${path}`, file, { id: "7" }),
      ).rejects.toThrow("one of the API's answers");
      expect(server.requests).toEqual([]);
    },
  );
});

describe.each(Object.keys(personalities) as Personality[])("by the route table of %s", (name) => {
  const { basePath = "/api/v1", paths } = personalities[name];
  const config = ConfigSchema.parse({
    origin: { baseUrl: `https://media.example.org${basePath}`, ...(paths && { paths }) },
  });
  const { origin } = config;
  const routes = createRoutes(config);
  const requests: ((id: string) => JsonRequest)[] = [
    ...(["articles", "galleries", "images", "videos", "documents", "audio"] as const).flatMap(
      (index) => [1, 2].map((page) => () => ({ route: "index" as const, index, page })),
    ),
    ...(["categories", "tags"] as const).map((index) => () => ({ route: "all" as const, index })),
    ...(["articles", "galleries", "images"] as const).map((index) => (id: string) => ({
      route: "single" as const,
      index,
      id,
    })),
    ...(["articles", "galleries"] as const).flatMap((parent) =>
      (["images", "videos", "audio"] as const).map((kind) => (id: string) => {
        return { route: "attachments" as const, parent, id, kind, page: 1 };
      }),
    ),
  ];
  /** What servers take for the same path: capitals, escapes of escapes, empty and dot segments. */
  const spellings = fc.array(
    fc.constantFrom(
      (path: string) => path.toUpperCase(),
      (path: string) => path.replaceAll("/", "//"),
      (path: string) => path.replace(/(.)\//g, "$1/./"),
      (path: string) => `/x/..%2f${path.slice(1)}`,
      (path: string) => `${path}/`,
      (path: string) => path.replace(/[a-z](?=[^/]*$)/, (c) => `%${c.charCodeAt(0).toString(16)}`),
      (path: string) => path.replaceAll("%", "%25"),
    ),
    { maxLength: 3 },
  );

  it("no spelling of an answer's address is a file's, or gets the token", () => {
    fc.assert(
      fc.property(fc.constantFrom(...requests), fc.uuid(), spellings, (request, item, spell) => {
        const url = routes.urlOf(request(item));
        fc.pre(url !== undefined);
        const { pathname, search } = new URL(url as string);
        const path = spell.reduce((text, one) => one(text), pathname);
        const spelled = new URL(`https://media.example.org${path}${search}`);
        expect(isAnswerAddress(spelled, origin)).toBe(true);
        expect(tokenScope(spelled, item, { ...origin, tokenPaths: ["/"] })).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it("the documented addresses of files are files', and may get the token", () => {
    fc.assert(
      fc.property(fc.uuid(), (item) => {
        for (const [path, isNamed] of [
          [`/images/${item}.jpg`, false],
          [`/images/${item}/download`, true],
          [`/videos/${item}/download`, true],
          [`/assets/${item}/paper.pdf`, true],
        ] as const) {
          const url = new URL(origin.baseUrl + path);
          expect(isAnswerAddress(url, origin)).toBe(false);
          expect(tokenScope(url, item, origin) !== undefined).toBe(isNamed);
          url.search = "?expires=1&signature=2";
          expect(isAnswerAddress(url, origin)).toBe(false);
          expect(tokenScope(url, item, origin)).toBeUndefined();
        }
      }),
    );
  });
});

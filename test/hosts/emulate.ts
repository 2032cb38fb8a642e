import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { typeOfPath } from "../../src/lib/content-type.ts";

/** A host in this process: its answers come from a publish root and the configuration written for the host. */
export interface Emulated {
  /** Without slash at the end. */
  url: string;
  close(): Promise<void>;
}

export interface EmulatedArchive {
  /** Publish root. */
  root: string;
  /** Folder with the host's configuration, such as `deploy/netlify`. */
  deploy: string;
  /** On 127.0.0.1; a free one by default. */
  port?: number;
}

interface Asked {
  method: string;
  /** As sent, without the query. */
  path: string;
  /** Without "?". */
  query: string;
  headers: IncomingHttpHeaders;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** Path of the file to send, relative to the publish root, or what else to send. */
  body?: { file: string } | { bytes: Uint8Array };
}

/** A server for one way to answer requests; all that HTTP asks of files is done here. */
async function startHost(
  { root, port = 0 }: EmulatedArchive,
  answer: (asked: Asked) => Promise<Answer>,
): Promise<Emulated> {
  const server = createServer((request, response) => {
    const [path = "", ...query] = (request.url ?? "").split("?");
    const { method = "GET", headers } = request;
    answer({ method, path, query: query.join("?"), headers }).then(
      (found) => send(request, response, root, found),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  root: string,
  answer: Answer,
): void {
  const { body, status } = answer;
  const headers = new Headers({ Server: "emulated" });
  let bytes: Uint8Array = new Uint8Array();
  if (body !== undefined && "file" in body) {
    bytes = readFileSync(join(root, body.file));
    headers.set("Content-Type", typeOfPath(body.file));
  } else if (body !== undefined) bytes = body.bytes;
  for (const [name, value] of Object.entries(answer.headers ?? {})) headers.set(name, value);
  if (status !== 200 || body === undefined || "bytes" in body) {
    if (!headers.has("Content-Length")) headers.set("Content-Length", String(bytes.length));
    response.writeHead(status, Object.fromEntries(headers));
    response.end(request.method === "HEAD" ? undefined : bytes);
    return;
  }
  const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`;
  headers.set("ETag", etag);
  headers.set("Accept-Ranges", "bytes");
  if (request.headers["if-none-match"] === etag) {
    response.writeHead(304, Object.fromEntries(headers)).end();
    return;
  }
  const [, first = "", last = ""] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const start = Number(first);
  if (first !== "" && start < bytes.length && request.method === "GET") {
    const end = Math.min(last === "" ? Number.POSITIVE_INFINITY : Number(last), bytes.length - 1);
    headers.set("Content-Range", `bytes ${start}-${end}/${bytes.length}`);
    bytes = bytes.subarray(start, end + 1);
  }
  headers.set("Content-Length", String(bytes.length));
  response.writeHead(headers.has("Content-Range") ? 206 : 200, Object.fromEntries(headers));
  response.end(request.method === "HEAD" ? undefined : bytes);
}

/** A file of the publish root by the path of a URL; undefined for what is none, or would lead out of the root. */
function fileAt(root: string, path: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  if (!decoded.startsWith("/") || /\\|\0|\/\.{1,2}(?:\/|$)|\/\//.test(decoded)) return undefined;
  const file = decoded.slice(1);
  const stat = statSync(join(root, file), { throwIfNoEntry: false });
  return stat?.isFile() && !file.endsWith("/") ? file : undefined;
}

let loaded = 0;

/** A module with a state of its own. */
function load(script: string): Promise<unknown> {
  return import(`${pathToFileURL(script).href}?${++loaded}`);
}

interface Worker {
  default: { fetch(request: Request, env: { ASSETS: Assets }): Promise<Response> };
}

interface Assets {
  fetch(request: Request): Promise<Response>;
}

/**
 * Cloudflare: the Worker with an assets binding as it is with `html_handling` and `not_found_handling` "none": exact
 * paths only, a strong ETag, no ranges (seen in workerd).
 */
export async function startCloudflare(archive: EmulatedArchive): Promise<Emulated> {
  const { root, deploy } = archive;
  const worker = (await load(join(deploy, "worker.js"))) as Worker;
  const assets: Assets = {
    async fetch(request) {
      const file = fileAt(root, new URL(request.url).pathname);
      if (file === undefined) return new Response("Not Found", { status: 404 });
      const bytes = readFileSync(join(root, file));
      const etag = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
      const headers = { "Content-Type": typeOfPath(file), ETag: `"${etag}"` };
      return new Response(request.method === "HEAD" ? null : bytes, { headers });
    },
  };
  return startHost(archive, async (asked) =>
    answerOf(await worker.default.fetch(requestOf(asked), { ASSETS: assets })),
  );
}

/** The request as a platform hands it to a function. */
function requestOf({ method, path, query, headers }: Asked): Request {
  const fields = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const url = `http://${headers.host}${path}${query === "" ? "" : `?${query}`}`;
  return new Request(url, { method, headers: fields });
}

async function answerOf(response: Response): Promise<Answer> {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: { bytes: new Uint8Array(await response.arrayBuffer()) },
  };
}

/** What a platform sends where its function lets a request pass; `kinds` are the paths at which it looks for a file. */
function passed(root: string, { path }: Asked, kinds: ((path: string) => string)[]): Answer {
  for (const kind of kinds) {
    const file = fileAt(root, kind(path));
    if (file !== undefined) return { status: 200, body: { file } };
  }
  return { status: 404 };
}

/** Netlify: an edge function before files, which are also found without ".html", and as pages of their folders. */
export async function startNetlify(archive: EmulatedArchive): Promise<Emulated> {
  const { root, deploy } = archive;
  const script = join(deploy, "netlify/edge-functions/archive.js");
  const { config, default: answer } = (await load(script)) as {
    config: { path: string };
    default(request: Request): Promise<Response> | undefined;
  };
  expect(config).toEqual({ path: "/*" });
  return startHost(archive, async (asked) => {
    const response = await answer(requestOf(asked));
    if (response !== undefined) return answerOf(response);
    const index = (path: string): string => `${path.replace(/\/$/, "")}/index.html`;
    return passed(root, asked, [(path) => path, index, (path) => `${path}.html`]);
  });
}

/** Vercel: Routing Middleware before files, which are also found as pages of their folders. */
export async function startVercel(archive: EmulatedArchive): Promise<Emulated> {
  const { root, deploy } = archive;
  const script = join(deploy, "middleware.js");
  const { default: answer } = (await load(script)) as {
    default(request: Request): Promise<Response> | Response;
  };
  return startHost(archive, async (asked) => {
    const response = await answer(requestOf(asked));
    if (response.headers.get("x-middleware-next") !== "1") return answerOf(response);
    const index = (path: string): string => `${path.replace(/\/$/, "")}/index.html`;
    return passed(root, asked, [(path) => path, index]);
  });
}

type CloudFrontFields = Record<string, { key: string; value: string }[]>;

interface OriginRequest {
  method: string;
  uri: string;
  querystring: string;
  headers: CloudFrontFields;
}

interface OriginResponse {
  status: string;
  headers: CloudFrontFields;
  body: string;
  bodyEncoding: string;
}

/** "The maximum size of a response that is generated by a Lambda function, including headers and body": 1 MB */
const largestGenerated = 2 ** 20;

/**
 * CloudFront: a Lambda@Edge function for origin requests in front of a bucket, which has objects and no folders. The
 * distribution is asked for files by HTTPS there, and by HTTP here.
 */
export async function startCloudFront(archive: EmulatedArchive): Promise<Emulated> {
  const { root, deploy } = archive;
  const script = join(deploy, "index.js");
  const { handler } = (await load(script)) as {
    handler(event: object): Promise<OriginRequest | OriginResponse>;
  };
  const { DefaultCacheBehavior } = JSON.parse(
    readFileSync(join(deploy, "distribution.json"), "utf8"),
  ) as { DefaultCacheBehavior: { AllowedMethods: { Items: string[] } } };
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) =>
    fetch(typeof input === "string" ? input.replace(/^https(?=:\/\/127\.)/, "http") : input, init);
  const host = await startHost(archive, async ({ method, path, query, headers }) => {
    if (!DefaultCacheBehavior.AllowedMethods.Items.includes(method)) return { status: 403 };
    if (path.length + query.length > 8_192) return { status: 414 };
    const fields = Object.entries(headers).map(([key, value]) => [
      key,
      [{ key, value: String(value) }],
    ]);
    const request = { method, uri: path, querystring: query, headers: Object.fromEntries(fields) };
    const config = { distributionDomainName: headers.host };
    const result = await handler({ Records: [{ cf: { config, request } }] });
    if ("status" in result) {
      expect(JSON.stringify(result).length).toBeLessThan(largestGenerated);
      const sent = Object.entries(result.headers).map(([name, [field]]) => [name, field?.value]);
      // JSON has links to the address that was asked, which begins with https there.
      const body = Buffer.from(result.body, "base64");
      const isJson = result.headers["content-type"]?.[0]?.value === "application/json";
      const own = (text: string): string =>
        text.replaceAll(`https://${headers.host}`, `http://${headers.host}`);
      const bytes = isJson ? Buffer.from(own(body.toString())) : body;
      return {
        status: Number(result.status),
        headers: Object.fromEntries(sent),
        body: { bytes },
      };
    }
    const file = fileAt(root, result.uri);
    return file === undefined ? { status: 404 } : { status: 200, body: { file } };
  });
  const close = async () => {
    globalThis.fetch = fetch;
    await host.close();
  };
  return { ...host, close };
}

/** Folder of the published build in an output folder, where `public` and `deploy` lie beside each other. */
export function deployOf(out: string, host: string): EmulatedArchive {
  const deploy = join(out, "deploy", host);
  if (!existsSync(deploy)) throw new Error(`${deploy} is missing`);
  return { root: join(out, "public"), deploy };
}

export const emulators = {
  netlify: startNetlify,
  cloudflare: startCloudflare,
  cloudfront: startCloudFront,
  vercel: startVercel,
} satisfies Record<string, (archive: EmulatedArchive) => Promise<Emulated>>;

/** Starts what is published in `out` on each host that has no server to install, by the host's name. */
export async function startEmulated(out: string): Promise<Map<string, Emulated>> {
  const hosts = new Map<string, Emulated>();
  for (const [name, start] of Object.entries(emulators)) {
    hosts.set(name, await start(deployOf(out, name)));
  }
  return hosts;
}

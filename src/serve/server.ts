import { realpathSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, sep } from "node:path";
import type { Config } from "../config.ts";
import { ConfigError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import { isErrno } from "../lib/files.ts";
import { printable } from "../lib/secrets.ts";
import { sitePaths } from "../routes/site.ts";
import type { ApiRequest, Routes } from "../routes/table.ts";
import { createImages, type ImageAnswer } from "./images.ts";
import { parseTarget, type Target } from "./request.ts";
import { type Content, sendContent } from "./send.ts";

export interface ServerOptions {
  /** The publish root, `out/public`; looked up at each request, so that a new build is seen at once. */
  root: string;
  routes: Routes;
  /** Given, sizes that were not precomputed are made from published originals; else the nearest is sent. */
  media?: Config["media"] | undefined;
  /** 0 = a free one. */
  port?: number;
  host?: string;
  /** Told of each answer. */
  log?: (entry: AnswerEntry) => void;
}

export interface AnswerEntry {
  method: string;
  /** Path and query, without signatures. */
  url: string;
  status: number;
}

export interface RunningServer {
  /** Without a slash at the end: "http://127.0.0.1:8080". */
  readonly url: string;
  readonly port: number;
  /** Stops listening and cuts open connections. */
  close(): Promise<void>;
}

/**
 * Serves the published archive over HTTP: the website, and the API below the mirror root with the origin's own
 * paths and query strings. It needs nothing but the files. Resolves when it listens.
 *
 * @throws ConfigError when the port or the address cannot be had
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { port = 0, host = "127.0.0.1", log = () => {} } = options;
  const answer = createAnswers(options);
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    response.on("close", () => log({ method, url: printable(url), status: response.statusCode }));
    answer(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "Content-Type": "text/plain" }).end("500 internal error\n");
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(listenError(cause, host, port)));
    server.listen(port, host, resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    port: actual,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listenError(cause: Error, host: string, port: number): Error {
  if (isErrno(cause, "EADDRINUSE")) {
    const hint = "choose another with --port, or 0 for a free one";
    return new ConfigError(`port ${port} on ${host} is taken`, { cause, hint });
  }
  if (!isErrno(cause, "EACCES", "EADDRNOTAVAIL", "ENOTFOUND")) return cause;
  return new ConfigError(`cannot listen on port ${port} of ${host}: ${cause.message}`, { cause });
}

const common = { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin" };
const cors = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag, Content-Range, Content-Length, Last-Modified",
};
const preflight = {
  "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
  // The API's clients send Authorization, which * does not cover, and Content-Type.
  "Access-Control-Allow-Headers": "Authorization, Content-Type, Accept, Range, If-None-Match, *",
  "Access-Control-Max-Age": "86400",
};
/** For originals from the origin's users: should one be HTML or SVG, it runs no scripts here. */
const sandbox = { "Content-Security-Policy": "default-src 'none'; sandbox" };
const scriptable = /\.(?:html?|svgz?|xht(?:ml)?|xml)$|\/download$/i;

function createAnswers({ root, routes, media }: ServerOptions) {
  const images = createImages(routes, media);
  const mirror = `/${routes.root}`;
  const mediaFolder = `/${sitePaths.media("", "").split("/")[0]}/`;

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = parseTarget(request.url ?? "");
    const path = target?.path ?? request.url ?? "";
    const ofApi = path === mirror || path.startsWith(`${mirror}/`);
    const headers = { ...common, ...(ofApi ? cors : {}) };
    const fail = (status: number, message: string, more: Record<string, string> = {}): void => {
      const body = Buffer.from(ofApi ? JSON.stringify({ message }) : `${status} ${message}\n`);
      response.writeHead(status, {
        ...headers,
        "Content-Type": ofApi ? "application/json" : "text/plain; charset=utf-8",
        "Content-Length": body.length,
        ...more,
      });
      response.end(request.method === "HEAD" ? undefined : body);
    };

    if (request.method === "OPTIONS" && ofApi) {
      response.writeHead(204, { ...headers, ...preflight }).end();
      return;
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      fail(405, "Method not allowed.", { Allow: ofApi ? "GET, HEAD, OPTIONS" : "GET, HEAD" });
      return;
    }
    if (target === undefined) {
      fail(400, "Bad request.");
      return;
    }
    const folder = realPath(root);
    if (folder === undefined) {
      fail(503, "Nothing is published yet.");
      return;
    }
    const found =
      (ofApi ? await apiAnswer(folder, target) : undefined) ?? fileAnswer(folder, target, ofApi);
    if (found === undefined) {
      const file = fileAt(folder, ofApi ? `${mirror}/404.json` : `/${sitePaths.notFound}`);
      if (file === undefined) fail(404, "Not found.");
      else await sendContent(request, response, { status: 404, headers, body: { file } });
    } else if ("redirect" in found) {
      response.writeHead(302, { ...headers, Location: found.redirect, "Content-Length": 0 }).end();
    } else {
      const foreign = (ofApi || path.startsWith(mediaFolder)) && scriptable.test(path);
      await sendContent(request, response, {
        ...found,
        headers: { ...headers, ...(foreign ? sandbox : {}), ...found.headers },
      });
    }
  };

  /** What the origin answered to this URL; undefined where it is none of the API's, or not in the archive. */
  async function apiAnswer(folder: string, { raw }: Target): Promise<Content | undefined> {
    const written = encodeURI(mirror);
    if (!raw.startsWith(written)) return undefined;
    const request = routes.resolve(originBase(routes) + raw.slice(written.length));
    if (request === undefined) return undefined;
    if (request.route === "binary") {
      return imageContent(await images.find(folder, request.id, request.scaling));
    }
    const file = routes.fileOf(request);
    const path = file === undefined ? undefined : fileAt(folder, `/${file}`);
    if (path === undefined) return undefined;
    return { status: 200, headers: disposition(request), body: { file: path } };
  }

  function fileAnswer(
    folder: string,
    { path, raw, query }: Target,
    ofApi: boolean,
  ): Content | { redirect: string } | undefined {
    const found = (file: string): Content => ({ status: 200, headers: {}, body: { file } });
    const file = fileAt(folder, path);
    if (file !== undefined) return found(file);
    // A filter that the archive does not know must not be answered with all there is.
    if (ofApi && query !== "") return undefined;
    const slash = path.endsWith("/") ? path : `${path}/`;
    const index = fileAt(folder, `${slash}index.html`) ?? fileAt(folder, `${slash}index.json`);
    if (index === undefined) return undefined;
    if (path === slash) return found(index);
    return { redirect: `${raw.slice(0, raw.length - query.length)}/${query}` };
  }
}

/** Base URL of the API at the origin, as the route table knows it. */
function originBase(routes: Routes): string {
  return (routes.urlOf({ route: "all", index: "tags" }) ?? "").replace(/\/tags$/, "");
}

function imageContent(image: ImageAnswer | undefined): Content | undefined {
  if (image === undefined) return undefined;
  if ("file" in image) return { status: 200, headers: {}, body: { file: image.file } };
  const { bytes, made } = image;
  const { size, mtimeMs } = statSync(made.original);
  const version = { etag: `"${keyOf(size, mtimeMs, made.slot)}"`, modified: mtimeMs };
  return { status: 200, type: "image/jpeg", headers: {}, body: { bytes, version } };
}

function disposition(request: ApiRequest): Record<string, string> {
  return request.route === "download" ? { "Content-Disposition": "attachment" } : {};
}

/** Real path of a file below a folder, which must be a real path; undefined for anything else. */
function fileAt(folder: string, path: string): string | undefined {
  // A colon names a drive or a stream on Windows, and nothing in an archive.
  if (path.includes(":")) return undefined;
  const real = realPath(join(folder, path));
  if (real === undefined || !real.startsWith(folder + sep)) return undefined;
  // join drops the slash of "page.html/", which is no file.
  if (path.endsWith("/")) return undefined;
  return statSync(real, { throwIfNoEntry: false })?.isFile() ? real : undefined;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EACCES")) return undefined;
    throw error;
  }
}

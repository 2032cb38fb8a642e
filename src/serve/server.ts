import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import { ConfigError } from "../errors.ts";
import { isErrno } from "../lib/files.ts";
import { printable } from "../lib/secrets.ts";
import { openFolder } from "./folder.ts";
import { createHandler, type Handler } from "./handler.ts";
import { createImageMaker } from "./images.ts";

export interface ServerOptions {
  /** The publish root, `out/public`; looked up at each request, so that a new build is seen at once. */
  publicRoot: string;
  /** Folder of the mirror below the publish root, such as "api/v1". */
  root: string;
  /** Bearer token that requests for JSON must carry; without it, none is asked for. */
  token?: string | undefined;
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
  const { publicRoot, root, token, port = 0, host = "127.0.0.1", log = () => {} } = options;
  const handler = createHandler({
    files: openFolder(publicRoot),
    root,
    makeImage: createImageMaker(publicRoot),
    // Who reads an archive while it is built anew wants to see what is there now.
    cacheControl: "no-cache",
    ...(token === undefined ? {} : { token }),
  });
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    response.on("close", () => log({ method, url: printable(url), status: response.statusCode }));
    respond(handler, request, response).catch((error: unknown) => {
      // The client went away: nobody is left to be told.
      if (isErrno(error, "ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE")) return;
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
    const hint = "choose another port with --port; 0 takes any free port";
    return new ConfigError(`port ${port} on ${host} is taken`, { cause, hint });
  }
  if (!isErrno(cause, "EACCES", "EADDRNOTAVAIL", "ENOTFOUND")) return cause;
  return new ConfigError(`cannot listen on port ${port} of ${host}: ${cause.message}`, { cause });
}

async function respond(
  handler: Handler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const target = incoming.url ?? "/";
  const response = await handler(requestOf(incoming, target), target);
  const encoding = encodingFor(incoming, response);
  const headers = new Headers(response.headers);
  if (compressible.test(headers.get("content-type") ?? "")) headers.set("Vary", "Accept-Encoding");
  if (encoding !== undefined) {
    headers.set("Content-Encoding", encoding);
    headers.delete("Content-Length");
    const etag = headers.get("etag");
    // The compressed form is the same in meaning, not in bytes.
    if (etag !== null) headers.set("ETag", `W/${etag}`);
  }
  outgoing.writeHead(response.status, Object.fromEntries(headers));
  if (response.body === null || incoming.method === "HEAD") {
    outgoing.end();
    return;
  }
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  const encoder = encoding && encoders[encoding]();
  await (encoder === undefined ? pipeline(body, outgoing) : pipeline(body, encoder, outgoing));
}

/** The request as the Fetch API has it, at the address that the client asked. */
function requestOf(incoming: IncomingMessage, target: string): Request {
  const { method = "GET", headers } = incoming;
  const { address = "127.0.0.1", port } = incoming.socket.address() as AddressInfo;
  const host = headers.host ?? `${address}:${port}`;
  const base = URL.canParse(`http://${host}`) ? `http://${host}` : "http://127.0.0.1";
  const url = target.startsWith("/") && URL.canParse(base + target) ? base + target : base;
  const copied = new Headers();
  for (const name of [
    "authorization",
    "if-none-match",
    "if-modified-since",
    "if-range",
    "range",
  ] as const) {
    const value = headers[name];
    if (value !== undefined) copied.set(name, String(value));
  }
  // Neither of the other methods has a body that would be looked at.
  return new Request(url, {
    method: /^(?:GET|HEAD|OPTIONS)$/.test(method) ? method : "POST",
    headers: copied,
  });
}

/** Below this, compressing costs more than it saves. */
const smallest = 1024;
const compressible =
  /^(?:text\/|application\/(?:json|javascript|xml|[\w.+-]+\+(?:json|xml))|image\/svg)/;

const encoders = {
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: () => createGzip({ level: 6 }),
} satisfies Record<string, () => Transform>;

function encodingFor(
  { headers, method }: IncomingMessage,
  response: Response,
): keyof typeof encoders | undefined {
  const length = Number(response.headers.get("content-length") ?? 0);
  if (response.status !== 200 || length < smallest) return undefined;
  if (!compressible.test(response.headers.get("content-type") ?? "")) return undefined;
  // Ranges are of the plain form; whoever wants one later needs its length.
  if (method === "HEAD" || headers.range !== undefined) return undefined;
  return preferredEncoding(String(headers["accept-encoding"] ?? ""));
}

/** The best encoding that a client accepts; undefined for none. RFC 9110, 12.5.3. */
export function preferredEncoding(header: string): keyof typeof encoders | undefined {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name, quality === undefined ? 1 : Number(quality.slice(2)));
  }
  const names = Object.keys(encoders) as (keyof typeof encoders)[];
  const weightOf = (name: string): number => weights.get(name) ?? weights.get("*") ?? 0;
  return names.filter((name) => weightOf(name) > 0).sort((a, b) => weightOf(b) - weightOf(a))[0];
}

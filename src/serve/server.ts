import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ConfigError } from "../errors.ts";
import { isErrno } from "../lib/files.ts";
import { printable } from "../lib/secrets.ts";
import type { ArchiveFiles } from "./archive.ts";
import { openFolder } from "./folder.ts";
import { createGate } from "./gate.ts";
import { createHandler, type Handler, type HandlerOptions } from "./handler.ts";
import { createImageMaker } from "./images.ts";

/** Where a server listens. */
export interface Listening {
  /** 0 = a free one. */
  port?: number;
  host?: string;
  /** Further names that requests may ask this server by. */
  names?: readonly string[];
  /** Told of each answer. */
  log?: (entry: AnswerEntry) => void;
}

export interface LocalArchive extends Pick<HandlerOptions, "root" | "token"> {
  /** The publish root, `out/public`; looked up at each request, so that a new build is seen at once. */
  publicRoot: string;
  /** Instead of those of the publish root. */
  files?: ArchiveFiles;
}

export type ServerOptions = LocalArchive & Listening;

export interface AnswerEntry {
  method: string;
  /** Path and query, without signatures. */
  url: string;
  status: number;
}

/** More would leave no file descriptor to read files with, where a process has 1,024. */
const mostConnections = 400;

export interface RunningServer {
  /** Without a slash at the end: "http://127.0.0.1:8080". */
  readonly url: string;
  readonly port: number;
  /** Stops listening and cuts open connections. */
  close(): Promise<void>;
}

/** Serves the archive as `createHandler` answers; resolves when it listens. @throws ConfigError, as `listen` does */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const archive = localArchive(options);
  const server = await listen(archive.handler, options);
  return { ...server, close: () => server.close().then(archive.close) };
}

/** Answers from the publish root of this machine, and makes images from its originals until it is closed. */
export function localArchive({ publicRoot, root, token, files }: LocalArchive) {
  const { makeImage, close } = createImageMaker();
  const handler = createHandler({
    files: files ?? openFolder(publicRoot),
    root,
    makeImage,
    // A new build is to be seen at once.
    cacheControl: "no-cache",
    token,
  });
  return { handler, close };
}

/** @throws ConfigError when the port or the address is taken or unknown, or a name is none */
export async function listen(
  handler: Handler,
  { port = 0, host = "127.0.0.1", names = [], log = () => {} }: Listening,
): Promise<RunningServer> {
  const refusalOf = createGate([host, ...names]);
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    response.on("close", () => log({ method, url: printable(url), status: response.statusCode }));
    const refusal = refusalOf(request);
    const say = ([status, text]: [number, string]): unknown =>
      response.writeHead(status, { "Content-Type": "text/plain" }).end(`${status} ${text}\n`);
    if (refusal !== undefined) return void say(refusal);
    respond(handler, request, response).catch((error: unknown) => {
      // The client went away: nobody is left to be told.
      if (isErrno(error, "ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE")) return;
      if (response.headersSent) response.destroy();
      else say([500, "internal error"]);
    });
  });
  server.maxConnections = mostConnections;
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

async function respond(handler: Handler, incoming: IncomingMessage, outgoing: ServerResponse) {
  const target = incoming.url ?? "/";
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const response = await handler(requestOf(incoming, target, gone.signal), target);
  if (gone.signal.aborted) return void response.body?.cancel();
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null || incoming.method === "HEAD") return void outgoing.end();
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  await pipeline(body, outgoing);
}

/** The request as the Fetch API has it, at the address that the client asked. */
function requestOf(incoming: IncomingMessage, target: string, signal: AbortSignal): Request {
  const { method = "GET", headers } = incoming;
  const { address = "127.0.0.1", port } = incoming.socket.address() as AddressInfo;
  const base = `http://${headers.host ?? `${isIPv6(address) ? "localhost" : address}:${port}`}`;
  const url = target.startsWith("/") && URL.canParse(base + target) ? base + target : base;
  // None of the other methods has a body that would be looked at.
  return new Request(url, {
    method: /^(?:GET|HEAD|OPTIONS)$/.test(method) ? method : "POST",
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    signal,
  });
}

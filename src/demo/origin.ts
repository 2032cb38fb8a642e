import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, createApi, type Hosts } from "./answers.ts";
import { generateContent } from "./content.ts";
import { errorAnswer } from "./errors.ts";
import { createLimiter } from "./limit.ts";
import { before, createLinks } from "./links.ts";
import type { Content } from "./model.ts";
import { defaultOptions, type OriginOptions } from "./options.ts";
import { createSigner } from "./sign.ts";
import { createPages } from "./view.ts";

/** One request, as it was answered. */
export interface LoggedRequest {
  method: string;
  /** Path and query as sent; for the second listener the full URL. */
  url: string;
  /** Status of the answer; 0 if an interceptor answered or the client went away. */
  status: number;
  /** Whether the request carried an Authorization header. */
  authorization: boolean;
  /** Milliseconds since 1970, by the origin's clock, when the request arrived. */
  at: number;
}

/** A running demo origin. */
export interface Origin {
  /** Base address of the API: "http://127.0.0.1:4711/api/v1". */
  readonly baseUrl: string;
  readonly port: number;
  /** Scheme, host and port that signed links lead to; another one with `binaryHost`. */
  readonly binaryOrigin: string;
  readonly tokens: { organisation: string; user: string };
  readonly content: Content;
  /** Requests to the API and its binaries, oldest first; `requests.length = 0` clears it. */
  readonly requests: LoggedRequest[];
  /** Stops listening and cuts open connections. */
  close(): Promise<void>;
}

/**
 * Starts an origin on 127.0.0.1 and resolves when it listens. Options that are left out have the
 * values of `defaultOptions`. Rejects with the system's error when the port is taken.
 */
export async function startOrigin(options: Partial<OriginOptions> = {}): Promise<Origin> {
  const chosen: OriginOptions = { ...defaultOptions, ...options };
  const content =
    chosen.content ??
    (await generateContent({ articles: 120, galleries: 15, images: 200, seed: 1 }));
  const requests: LoggedRequest[] = [];
  const main = createServer();
  const port = await listen(main, chosen.port);
  const host = `http://127.0.0.1:${port}`;
  const second = chosen.binaryHost ? createServer() : undefined;
  const binaryOrigin = second ? `http://127.0.0.1:${await listen(second, 0)}` : host;

  const answer = createAnswers(content, chosen, { api: host, binaries: binaryOrigin }, requests);
  main.on("request", (request, response) => answer(request, response, true));
  second?.on("request", (request, response) => answer(request, response, false));
  const servers = second ? [main, second] : [main];
  return {
    baseUrl: host + chosen.basePath,
    port,
    binaryOrigin,
    tokens: chosen.tokens,
    content,
    requests,
    close: async () => {
      await Promise.all(servers.map(stop));
    },
  };
}

function createAnswers(
  content: Content,
  options: OriginOptions,
  hosts: Hosts,
  requests: LoggedRequest[],
): (request: IncomingMessage, response: ServerResponse, withApi: boolean) => void {
  const host = hosts.api;
  const signed = options.binaryHost === "redirected" ? hosts.api : hosts.binaries;
  const signer = createSigner({ ...options, host: before(signed, options.linkForms.binaries) });
  const links = createLinks(host, options, signer);
  const api = createApi(content, options, hosts, { links, signer });
  const page = createPages(content, options, links);
  const limit = createLimiter(options);
  const failure = (status: number, message: string): Answer =>
    errorAnswer(options.errors, status, message);

  const respond = async (
    request: IncomingMessage,
    response: ServerResponse,
    withApi: boolean,
    entry: LoggedRequest,
  ): Promise<void> => {
    if (options.latencyMs > 0) await sleep(options.latencyMs);
    const url = new URL(request.url ?? "/", host);
    const { basePath } = options;
    const html = withApi && isPage(url.pathname) ? page(url.pathname) : undefined;
    if (html !== undefined) {
      const type = "text/html; charset=utf-8";
      send(request, response, { status: 200, type, body: html });
      return;
    }
    record(requests, entry, options.logLimit);
    const { admitted, headers } = limit();
    const below = url.pathname.startsWith(`${basePath}/`);
    const path = url.pathname.slice(basePath.length);
    let answer: Answer;
    if (!admitted) answer = failure(429, "Too many requests.");
    else if (!below) answer = failure(404, "Not found.");
    else answer = await api({ request, path, query: url.searchParams, withApi });
    entry.status = answer.status;
    const full = { ...answer, headers: { ...headers, ...answer.headers } };
    send(request, response, full, options.chunked && typeof answer.body === "string");
  };

  return (request, response, withApi) => {
    const entry: LoggedRequest = {
      method: request.method ?? "",
      url: withApi ? (request.url ?? "") : hosts.binaries + request.url,
      status: 0,
      authorization: request.headers.authorization !== undefined,
      at: options.now().getTime(),
    };
    if (options.intercept?.(request, response)) {
      record(requests, entry, options.logLimit);
      return;
    }
    respond(request, response, withApi, entry).catch((error: unknown) => {
      entry.status = 500;
      const message = error instanceof Error ? error.message : String(error);
      if (!response.headersSent) send(request, response, failure(500, message));
      else response.destroy();
    });
  };
}

/** Reading pages are no part of the API: they are neither counted nor logged. */
function isPage(path: string): boolean {
  return path === "/" || path.startsWith("/view/");
}

function record(requests: LoggedRequest[], entry: LoggedRequest, limit: number): void {
  if (limit === 0) return;
  // Half at a time: cutting one off the front for every request would be slow.
  if (requests.length >= limit) requests.splice(0, Math.ceil(limit / 2));
  requests.push(entry);
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  chunked = false,
): void {
  const { status, type, body, headers } = answer;
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  const full: Record<string, string | number> = { ...headers };
  if (status !== 304) full["Content-Type"] = type;
  if (status !== 304 && !chunked) full["Content-Length"] = length;
  response.writeHead(status, full);
  response.end(request.method === "HEAD" ? undefined : body);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

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
  const servers = chosen.binaryHost ? [main, createServer()] : [main];
  const [, second] = servers;
  const binaries = second ? `http://127.0.0.1:${await listen(second, 0)}` : host;
  const answers = createAnswers(content, chosen, { api: host, binaries });
  for (const server of servers) {
    server.on("request", (request, response) => {
      const withApi = server === main;
      const entry: LoggedRequest = {
        method: request.method ?? "",
        url: withApi ? (request.url ?? "") : binaries + request.url,
        status: 0,
        authorization: request.headers.authorization !== undefined,
        at: chosen.now().getTime(),
      };
      // Reading pages are no part of the API: they are neither counted nor logged.
      const page = withApi ? answers.page(request) : undefined;
      if (page === undefined) record(requests, entry, chosen.logLimit);
      if (chosen.intercept?.(request, response)) return;
      void respond(response, request, chosen, async () => {
        const answer = page ?? (await answers.api(request, withApi));
        entry.status = answer.status;
        return answer;
      });
    });
  }
  return {
    baseUrl: host + chosen.basePath,
    port,
    binaryOrigin: binaries,
    tokens: chosen.tokens,
    content,
    requests,
    close: async () => {
      await Promise.all(servers.map(stop));
    },
  };
}

/** Answers to requests of every kind, before they are sent. */
function createAnswers(content: Content, options: OriginOptions, hosts: Hosts) {
  const signed = options.binaryHost === "redirected" ? hosts.api : hosts.binaries;
  const signer = createSigner(before(signed, options.linkForms.binaries), options);
  const links = createLinks(hosts.api, options, signer);
  const api = createApi(content, options, hosts, { links, signer });
  const pageAt = createPages(content, options, links);
  const limit = createLimiter(options);
  return {
    page({ url }: IncomingMessage): Answer | undefined {
      const body = pageAt(new URL(url ?? "/", hosts.api).pathname);
      return body === undefined
        ? undefined
        : { status: 200, type: "text/html; charset=utf-8", body };
    },
    async api(request: IncomingMessage, withApi: boolean): Promise<Answer> {
      const { pathname, searchParams: query } = new URL(request.url ?? "/", hosts.api);
      const { admitted, headers } = limit();
      const path = pathname.slice(options.basePath.length);
      const answer: Answer = !admitted
        ? errorAnswer(options.errors, 429, "Too many requests.")
        : pathname.startsWith(`${options.basePath}/`)
          ? await api({ request, path, query, withApi })
          : errorAnswer(options.errors, 404, "Not found.");
      return { ...answer, headers: { ...headers, ...answer.headers } };
    },
  };
}

function record(requests: LoggedRequest[], entry: LoggedRequest, limit: number): void {
  if (limit === 0) return;
  // Half at a time: cutting one off the front for every request would be slow.
  if (requests.length >= limit) requests.splice(0, Math.ceil(limit / 2));
  requests.push(entry);
}

async function respond(
  response: ServerResponse,
  { method }: IncomingMessage,
  options: OriginOptions,
  make: () => Promise<Answer>,
): Promise<void> {
  if (options.latencyMs > 0) await sleep(options.latencyMs);
  const { status, type, body, headers } = await make().catch(
    (error: unknown): Answer => errorAnswer(options.errors, 500, String(error)),
  );
  const full: Record<string, string | number> = { ...headers };
  if (status !== 304) full["Content-Type"] = type;
  const chunked = options.chunked && typeof body === "string";
  if (status !== 304 && !chunked) full["Content-Length"] = Buffer.byteLength(body);
  response.writeHead(status, full);
  response.end(method === "HEAD" ? undefined : body);
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

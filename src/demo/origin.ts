import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, createApi, errorAnswer } from "./answers.ts";
import { generateContent } from "./content.ts";
import { createLimiter } from "./limit.ts";
import type { Content } from "./model.ts";
import { defaultOptions, type OriginOptions } from "./options.ts";

/** One request, as it was answered. */
export interface LoggedRequest {
  method: string;
  /** Path and query as sent. */
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
  readonly tokens: { organisation: string; user: string };
  readonly content: Content;
  /** Oldest first; `requests.length = 0` clears it. */
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
  const server = createServer();
  const port = await listen(server, chosen.port);
  const host = `http://127.0.0.1:${port}`;
  const answer = limited(createApi(content, chosen, host), chosen);
  server.on("request", (request, response) => {
    const entry: LoggedRequest = {
      method: request.method ?? "",
      url: request.url ?? "",
      status: 0,
      authorization: request.headers.authorization !== undefined,
      at: chosen.now().getTime(),
    };
    record(requests, entry, chosen.logLimit);
    if (chosen.intercept?.(request, response)) return;
    void respond(response, request, chosen, async () => {
      const made = await answer(request);
      entry.status = made.status;
      return made;
    });
  });
  return {
    baseUrl: host + chosen.basePath,
    port,
    tokens: chosen.tokens,
    content,
    requests,
    close: () => stop(server),
  };
}

/** Answers within the rate, with its headers; anything above gets a 429. */
function limited(
  api: (request: IncomingMessage) => Promise<Answer>,
  options: OriginOptions,
): (request: IncomingMessage) => Promise<Answer> {
  const limit = createLimiter(options);
  return async (request) => {
    const { admitted, headers } = limit();
    const answer = admitted
      ? await api(request)
      : errorAnswer(options.errors, 429, "Too many requests.");
    return { ...answer, headers: { ...headers, ...answer.headers } };
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

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, errorAnswer, matcher, withEtag } from "./answers.ts";
import { jsonEndpoints } from "./api.ts";
import { createBinaries } from "./binaries.ts";
import { writeJson } from "./json.ts";
import { createLimiter } from "./limit.ts";
import { createLinks } from "./links.ts";
import type { Content } from "./model.ts";
import { defaultOptions, type OriginOptions } from "./options.ts";

/** Port 0, or none, is a free one. */
export type StartOptions = Partial<OriginOptions> & { content: Content; port?: number };

export type Origin = Awaited<ReturnType<typeof startOrigin>>;

/** Starts an origin on 127.0.0.1. Rejects with the system's error when the port is taken. */
export async function startOrigin({ content, port: wanted = 0, ...others }: StartOptions) {
  const options: OriginOptions = { ...defaultOptions, ...others };
  const server = createServer().listen(wanted, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const host = `http://127.0.0.1:${port}`;
  const answer = createApi(content, options, host);
  server.on("request", (request, response) => {
    if (options.intercept?.(request, response)) return;
    void respond(response, request, options, () => answer(request));
  });
  return {
    /** "http://127.0.0.1:4711/api/v1" */
    baseUrl: host + options.basePath,
    port,
    tokens: options.tokens,
    content,
    /** Cuts open connections. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers within the rate: JSON with a right token, binaries with a signature. */
function createApi(content: Content, options: OriginOptions, host: string) {
  const links = createLinks(host, options);
  const endpoint = matcher(jsonEndpoints({ content, options, links }));
  const binary = createBinaries(content, options, links);
  const limit = createLimiter(options);
  const failure = (status: number, message: string, headers = {}): Answer => {
    return { ...errorAnswer(options, status, message), headers };
  };

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", host);
    if (!pathname.startsWith(`${options.basePath}/`)) return failure(404, "Not found.");
    if (request.method !== "GET" && request.method !== "HEAD") {
      return failure(405, "Method not allowed.", { Allow: "GET" });
    }
    const path = pathname.slice(options.basePath.length);
    const file = await binary(path, query);
    if (file) return options.fileEtags && file.status === 200 ? withEtag(file, request) : file;
    const token = tokenKind(request.headers.authorization, options.tokens);
    if (!token) return failure(401, "Unauthenticated.", { "WWW-Authenticate": "Bearer" });
    const found = endpoint(path);
    const value = found?.value({ id: found.id, path, query, token });
    if (value === undefined) return failure(404, "Not found.");
    const body = writeJson(value, options.json);
    const json = { status: 200, type: "application/json", body };
    return options.etags ? withEtag(json, request) : json;
  }

  return async (request: IncomingMessage): Promise<Answer> => {
    const { admitted, headers } = limit();
    const made = admitted ? await answer(request) : failure(429, "Too many requests.");
    return { ...made, headers: { ...headers, ...made.headers } };
  };
}

function tokenKind(header: string | undefined, tokens: OriginOptions["tokens"]) {
  const token = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
  if (token === tokens.organisation) return "organisation";
  return token === tokens.user ? "user" : undefined;
}

async function respond(
  response: ServerResponse,
  { method }: IncomingMessage,
  options: OriginOptions,
  make: () => Promise<Answer>,
): Promise<void> {
  if (options.latencyMs > 0) await sleep(options.latencyMs);
  const { status, type, body, headers } = await make().catch(
    (error: unknown): Answer => errorAnswer(options, 500, String(error)),
  );
  const full: Record<string, string | number> = { ...headers };
  if (status !== 304) full["Content-Type"] = type;
  const chunked = options.chunked && typeof body === "string";
  if (status !== 304 && !chunked) full["Content-Length"] = Buffer.byteLength(body);
  response.writeHead(status, full);
  response.end(method === "HEAD" ? undefined : body);
}

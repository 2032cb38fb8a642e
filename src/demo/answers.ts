import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { jsonEndpoints, matcher } from "./api.ts";
import { type BinaryAnswer, createBinaries } from "./binaries.ts";
import { errorAnswer } from "./errors.ts";
import { writeJson } from "./json.ts";
import type { Links } from "./links.ts";
import { createLists, type TokenKind } from "./lists.ts";
import type { Content } from "./model.ts";
import { createObjects } from "./objects.ts";
import type { OriginOptions } from "./options.ts";
import type { Signer } from "./sign.ts";

/** An answer before it is sent. */
export interface Answer {
  status: number;
  type: string;
  body: string | Buffer;
  headers?: Record<string, string>;
}

/** A request to one of the listeners of an origin. */
export interface Call {
  request: IncomingMessage;
  /** Path below the base path. */
  path: string;
  query: URLSearchParams;
  /** Whether the listener is that of the API, and not the one for binaries alone. */
  withApi: boolean;
}

/** Scheme, host and port of the API and of the binaries, which may be the same. */
export interface Hosts {
  api: string;
  binaries: string;
}

/** Answers to requests below the base path: JSON with a right token, binaries with a signature. */
export function createApi(
  content: Content,
  options: OriginOptions,
  hosts: Hosts,
  { links, signer }: { links: Links; signer: Signer },
): (call: Call) => Promise<Answer> {
  const lists = createLists(content, options);
  const objects = createObjects(content, options, links);
  const match = matcher(jsonEndpoints(content, options, { lists, objects, links }));
  const binary = createBinaries(content, options, signer);
  const failure = (status: number, message: string): Answer =>
    errorAnswer(options.errors, status, message);

  const ofBinary = (file: BinaryAnswer, { request, withApi }: Call): Answer => {
    if (file.status !== 200) return failure(file.status, file.message);
    if (options.binaryHost === "redirected" && withApi) {
      const headers = { Location: hosts.binaries + request.url };
      return { status: 302, type: "text/plain", body: "", headers };
    }
    return fileAnswer(file, request, options.fileEtags);
  };

  return async (call) => {
    const { request, path, query, withApi } = call;
    if (request.method !== "GET" && request.method !== "HEAD") {
      return { ...failure(405, "Method not allowed."), headers: { Allow: "GET" } };
    }
    const file = await binary(path, query);
    if (file) return ofBinary(file, call);
    const token = tokenKind(request.headers.authorization, options.tokens);
    if (!token) {
      const headers = { "WWW-Authenticate": "Bearer" };
      return { ...failure(401, "Unauthenticated."), headers };
    }
    if (options.imagesRefused && path.startsWith("/images")) return failure(403, "Forbidden.");
    const endpoint = withApi ? match(path) : undefined;
    const value = endpoint?.value({ id: endpoint.id, path, query, token });
    return value === undefined ? failure(404, "Not found.") : jsonAnswer(value, request, options);
  };
}

function jsonAnswer(value: unknown, request: IncomingMessage, options: OriginOptions): Answer {
  const plain = !Object.values(options.json).includes(true) && options.extraFields !== "odd";
  const body = plain ? JSON.stringify(value) : writeJson(value, options.json);
  const answer: Answer = { status: 200, type: "application/json", body };
  if (!options.etags) return answer;
  const steady = body.replace(/(?:expires|signature)=[^"&\\]+/g, "");
  const digest = createHash("sha256").update(steady).digest("hex").slice(0, 32);
  return withEtag(answer, `W/"${digest}"`, request);
}

function fileAnswer(
  file: BinaryAnswer & { status: 200 },
  request: IncomingMessage,
  etags: boolean,
): Answer {
  const headers: Record<string, string> = { "Cache-Control": "private, max-age=3600" };
  if (file.fileName) {
    const name = file.fileName.replace(/[^\x20-\x7e]|["\\]/g, "_");
    headers["Content-Disposition"] = `attachment; filename="${name}"`;
  }
  const answer = { status: 200, type: file.mime, body: file.bytes, headers };
  if (!etags) return answer;
  return withEtag(answer, `"${createHash("md5").update(file.bytes).digest("hex")}"`, request);
}

/** The answer with its ETag, or 304 where the client has it already. */
function withEtag(answer: Answer, etag: string, request: IncomingMessage): Answer {
  const headers = { ...answer.headers, ETag: etag };
  const same = (request.headers["if-none-match"] ?? "").split(/\s*,\s*/).includes(etag);
  return same ? { status: 304, type: "", body: "", headers } : { ...answer, headers };
}

function tokenKind(
  header: string | undefined,
  tokens: OriginOptions["tokens"],
): TokenKind | undefined {
  const token = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
  if (token === tokens.organisation) return "organisation";
  return token === tokens.user ? "user" : undefined;
}

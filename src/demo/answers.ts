import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { jsonEndpoints, matcher } from "./api.ts";
import { type BinaryAnswer, createBinaries } from "./binaries.ts";
import { writeJson } from "./json.ts";
import { createLinks, createSigner } from "./links.ts";
import { createLists, type TokenKind } from "./lists.ts";
import type { Content } from "./model.ts";
import { createObjects } from "./objects.ts";
import type { OriginOptions } from "./options.ts";

/** An answer before it is sent. */
export interface Answer {
  status: number;
  type: string;
  body: string | Buffer;
  headers?: Record<string, string>;
}

/** Answers requests on a host: JSON with a right token, binaries with a signature. */
export function createApi(
  content: Content,
  options: OriginOptions,
  host: string,
): (request: IncomingMessage) => Promise<Answer> {
  const signer = createSigner(host, options);
  const links = createLinks(host, options, signer);
  const lists = createLists(content, options);
  const objects = createObjects(content, options, links);
  const match = matcher(jsonEndpoints(content, options, { lists, objects, links }));
  const binary = createBinaries(content, options, signer);
  const failure = (status: number, message: string): Answer =>
    errorAnswer(options.errors, status, message);

  return async (request) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", host);
    if (!pathname.startsWith(`${options.basePath}/`)) return failure(404, "Not found.");
    if (request.method !== "GET" && request.method !== "HEAD") {
      return { ...failure(405, "Method not allowed."), headers: { Allow: "GET" } };
    }
    const path = pathname.slice(options.basePath.length);
    const file = await binary(path, query);
    if (file?.status === 200) return fileAnswer(file, request, options.fileEtags);
    if (file) return failure(file.status, file.message);
    const token = tokenKind(request.headers.authorization, options.tokens);
    if (!token) {
      const headers = { "WWW-Authenticate": "Bearer" };
      return { ...failure(401, "Unauthenticated."), headers };
    }
    const endpoint = match(path);
    const value = endpoint?.value({ id: endpoint.id, path, query, token });
    return value === undefined ? failure(404, "Not found.") : jsonAnswer(value, request, options);
  };
}

/** The answer to a request that failed, in one of the forms that services use. */
export function errorAnswer(
  form: OriginOptions["errors"],
  status: number,
  message: string,
): Answer {
  if (form === "text") return { status, type: "text/plain; charset=utf-8", body: `${message}\n` };
  if (form === "html") {
    const page = `<!doctype html>\n<title>${status}</title>\n<h1>${message}</h1>\n`;
    return { status, type: "text/html; charset=utf-8", body: page };
  }
  return { status, type: "application/json", body: JSON.stringify({ message }) };
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

/** The answer with its ETag, or 304 if the client has it already. */
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

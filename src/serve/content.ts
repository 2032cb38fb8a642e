import { createHash } from "node:crypto";
import { type HeaderRule, headersOf } from "../routes/headers.ts";
import type { ArchiveFile, ArchiveFiles, MadeImage } from "./archive.ts";
import { isFresh, rangeOf } from "./conditions.ts";

/** What is sent, before it is known how much of it. */
export interface Content extends Omit<ArchiveFile, "text"> {
  status: number;
  /** Path that the headers go by. */
  path: string;
}

export function fileContent(path: string, file: ArchiveFile): Content {
  const { bytes, etag, modified, type } = file;
  return { status: 200, path, bytes, etag, modified, type, body: (range) => file.body(range) };
}

export function jsonContent(path: string, text: string): Content {
  const bytes = new TextEncoder().encode(text);
  const etag = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
  return bytesContent(path, { bytes, etag, type: "application/json" });
}

export function bytesContent(path: string, { bytes, etag, type }: MadeImage): Content {
  const body: Content["body"] = async (range) =>
    range === undefined ? bytes : bytes.subarray(range.start, range.end + 1);
  return { status: 200, path, bytes: bytes.length, etag, type, body };
}

/** The first of these files that exists. */
export async function firstContent(
  files: ArchiveFiles,
  paths: readonly string[],
): Promise<Content | undefined> {
  for (const path of paths) {
    const file = await files.open(path);
    if (file !== undefined) return fileContent(path, file);
  }
  return undefined;
}

/** Answers a request with a content: whole, as the part that was asked for, or as the client has it already. */
export async function send(
  request: Request,
  content: Content,
  rules: readonly HeaderRule[],
): Promise<Response> {
  const { status, bytes } = content;
  const headers = headersFor(content, rules);
  const plain = status === 200;
  if (plain && isFresh(request.headers, content)) {
    headers.delete("Content-Type");
    return new Response(null, { status: 304, headers });
  }
  const head = request.method === "HEAD";
  const range = plain && !head ? rangeOf(request.headers, bytes, content) : undefined;
  if (range === "unsatisfiable") {
    headers.set("Content-Range", `bytes */${bytes}`);
    headers.set("Content-Length", "0");
    return new Response(null, { status: 416, headers });
  }
  if (range !== undefined) {
    headers.set("Content-Range", `bytes ${range.start}-${range.end}/${bytes}`);
  }
  headers.set("Content-Length", String(range ? range.end - range.start + 1 : bytes));
  const body = head || bytes === 0 ? null : await content.body(range);
  return new Response(body as Uint8Array<ArrayBuffer> | null, {
    status: range ? 206 : status,
    headers,
  });
}

function headersFor(
  { status, path, etag, modified, type }: Content,
  rules: readonly HeaderRule[],
): Headers {
  const headers = new Headers({ "Content-Type": type, ...headersOf(path, rules) });
  if (status !== 200) return headers;
  headers.set("ETag", `"${etag}"`);
  headers.set("Accept-Ranges", "bytes");
  if (modified !== undefined) headers.set("Last-Modified", new Date(modified).toUTCString());
  return headers;
}

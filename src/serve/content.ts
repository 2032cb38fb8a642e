import { createHash } from "node:crypto";
import { type HeaderRule, headersOf } from "../routes/headers.ts";
import type { ArchiveFile, ArchiveFiles, ByteRange, MadeImage } from "./archive.ts";

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

export function bytesContent(path: string, made: MadeImage): Content {
  return fileContent(path, fileInMemory(made));
}

export function fileInMemory({ bytes, etag, type }: MadeImage): ArchiveFile {
  return {
    bytes: bytes.length,
    etag,
    type,
    text: async () => new TextDecoder().decode(bytes),
    body: async (range) => (range ? bytes.subarray(range.start, range.end + 1) : bytes),
  };
}

/** The first of these files that exists. */
export async function firstContent(files: ArchiveFiles, paths: readonly string[]) {
  for (const path of paths) {
    const file = await files.open(path);
    if (file !== undefined) return fileContent(path, file);
  }
  return undefined;
}

/** Answers a request with a content: whole, as the part that was asked for, or as the client has it already. */
export async function send(request: Request, content: Content, rules: readonly HeaderRule[]) {
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

function headersFor(content: Content, rules: readonly HeaderRule[]): Headers {
  const { status, path, etag, modified, type } = content;
  const headers = new Headers({ "Content-Type": type, ...headersOf(path, rules) });
  if (status !== 200) return headers;
  headers.set("ETag", `"${etag}"`);
  headers.set("Accept-Ranges", "bytes");
  if (modified !== undefined) headers.set("Last-Modified", new Date(modified).toUTCString());
  return headers;
}

/** What identifies the state of what is sent. */
type Version = Pick<ArchiveFile, "etag" | "modified">;

/** Whether the client's copy is this version: 304 is the answer then. RFC 9110, 13.1.2 and 13.1.3. */
export function isFresh(headers: Headers, { etag, modified }: Version): boolean {
  const known = headers.get("if-none-match");
  if (known !== null) {
    const tags = known.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    return tags.includes("*") || tags.includes(`"${etag}"`);
  }
  if (modified === undefined) return false;
  return wholeSecond(modified) <= Date.parse(headers.get("if-modified-since") ?? "");
}

/**
 * The single byte range that a request asks for; undefined where the whole is to be sent, because there is none,
 * several, or one of another version; "unsatisfiable" where it lies behind the end. RFC 9110, 14.
 *
 * rangeOf(new Headers({ range: "bytes=-2" }), 10, version) → { start: 8, end: 9 }
 */
export function rangeOf(
  headers: Headers,
  bytes: number,
  { etag, modified }: Version,
): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i.exec(headers.get("range") ?? "");
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  const condition = headers.get("if-range");
  if (condition !== null && condition !== `"${etag}"`) {
    if (modified === undefined || Date.parse(condition) !== wholeSecond(modified)) return undefined;
  }
  if (first === "") {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? "unsatisfiable" : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= bytes ? "unsatisfiable" : { start, end };
}

function wholeSecond(time: number): number {
  return Math.floor(time / 1000) * 1000;
}

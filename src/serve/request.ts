import type { IncomingHttpHeaders } from "node:http";

/** What the request line asks for. */
export interface Target {
  /** Decoded once, starts with "/", without `.` and `..` segments, empty segments and control characters. */
  path: string;
  /** As sent: path and query. */
  raw: string;
  /** With "?", or empty. */
  query: string;
}

/**
 * Path and query of a request; undefined where the path is none that a file could have, such as one that
 * would lead out of its folder.
 */
export function parseTarget(raw: string): Target | undefined {
  const mark = raw.indexOf("?");
  const written = mark === -1 ? raw : raw.slice(0, mark);
  let path: string;
  try {
    path = decodeURIComponent(written);
  } catch {
    return undefined;
  }
  if (!path.startsWith("/")) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\0-\x1f\x7f\\]|\/\.{1,2}(?:\/|$)|\/\//.test(path)) return undefined;
  return { path, raw, query: mark === -1 ? "" : raw.slice(mark) };
}

/** Whether an answer may be compressed with gzip, by the request's `Accept-Encoding`. */
export function acceptsGzip(header: string | undefined): boolean {
  const weights = new Map<string, number>();
  for (const part of (header ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name, quality === undefined ? 1 : Number(quality.slice(2)));
  }
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}

/** What identifies the state of a file. */
export interface Version {
  /** Quoted, without W/. */
  etag: string;
  /** Milliseconds since 1970. */
  modified: number;
}

/** Whether the client's copy is this version: 304 is the answer then. RFC 9110, 13.1.2 and 13.1.3. */
export function isFresh(headers: IncomingHttpHeaders, { etag, modified }: Version): boolean {
  const known = headers["if-none-match"];
  if (known !== undefined) {
    const tags = known.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    return tags.includes("*") || tags.includes(etag);
  }
  const since = Date.parse(headers["if-modified-since"] ?? "");
  return Math.floor(modified / 1000) * 1000 <= since;
}

/** Bytes of a file, the last one included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The single byte range that a request asks for; undefined where the whole file is to be sent, because there
 * is none, several, or one of another version; "unsatisfiable" where it lies behind the end. RFC 9110, 14.
 *
 * rangeOf({ range: "bytes=-2" }, 10, version) → { start: 8, end: 9 }
 */
export function rangeOf(
  headers: IncomingHttpHeaders,
  bytes: number,
  { etag, modified }: Version,
): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(headers.range ?? "");
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  const condition = headers["if-range"];
  if (condition !== undefined && condition !== etag) {
    if (Date.parse(String(condition)) !== Math.floor(modified / 1000) * 1000) return undefined;
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

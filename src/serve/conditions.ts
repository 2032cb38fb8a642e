import type { ArchiveFile, ByteRange } from "./archive.ts";

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
  const match = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(headers.get("range") ?? "");
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

import { pipeline, Readable } from "node:stream";
import { createGzip, gzipSync } from "node:zlib";
import { sha256 } from "../lib/digest.ts";
import { version } from "../lib/version.ts";
import type { Pieces } from "./zip-writer.ts";

/** A file as a record of a WARC: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/ */
export interface WarcFile {
  url: string;
  type: string;
  bytes: number;
  sha256: string;
}

/** Up to this size, a record is compressed in one piece. */
const smallBytes = 4 << 20;
/** Types that a compression makes smaller. */
const compressible = /^text\/|[+/](?:json|xml|javascript|x-ndjson)\b/;
const end = Buffer.from("\r\n\r\n");

/** The first record, which tells who wrote the others. @param time ISO 8601 in UTC, in whole seconds */
export function warcInfo(time: string): Buffer {
  const text = [
    `software: stillpress ${version}`,
    "format: WARC File Format 1.1",
    "conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
  ];
  const block = Buffer.from(`${text.join("\r\n")}\r\n`);
  const head = headOf({
    "WARC-Type": "warcinfo",
    "WARC-Record-ID": recordId(`warcinfo ${time}`),
    "WARC-Date": time,
    "WARC-Block-Digest": `sha256:${sha256(block)}`,
    "Content-Type": "application/warc-fields",
    "Content-Length": block.length,
  });
  return gzipSync(Buffer.concat([head, block, end]));
}

/** A file in a record of its own, compressed. @param time ISO 8601 in UTC, in whole seconds */
export async function* warcRecord(file: WarcFile, time: string, content: Pieces) {
  const { url, type, bytes } = file;
  const digest = `sha256:${file.sha256}`;
  const head = headOf({
    "WARC-Type": "resource",
    "WARC-Record-ID": recordId(`${url} ${time}`),
    "WARC-Date": time,
    "WARC-Target-URI": url,
    "WARC-Block-Digest": digest,
    "WARC-Payload-Digest": digest,
    "Content-Type": type,
    "Content-Length": bytes,
  });
  const options = { level: compressible.test(type) ? 6 : 0 };
  const record = enclosed(head, content);
  if (bytes > smallBytes) {
    const gzip = createGzip(options);
    yield* pipeline(Readable.from(record), gzip, () => {});
    return;
  }
  const pieces: Buffer[] = [];
  for await (const piece of record) pieces.push(Buffer.from(piece));
  yield gzipSync(Buffer.concat(pieces), options);
}

async function* enclosed(head: Buffer, content: Pieces): AsyncGenerator<Uint8Array> {
  yield head;
  // A stream takes pieces before it has worked through the last one.
  for await (const piece of content) yield Buffer.from(piece);
  yield end;
}

function headOf(fields: Record<string, string | number>): Buffer {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`WARC/1.1\r\n${lines.join("")}\r\n`);
}

/** The same for the same text, as UUIDs of version 8 may be. */
function recordId(text: string): string {
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(sha256(text)) ?? [];
  return `<urn:uuid:${a}-${b}-8${c}-8${d}-${e}>`;
}

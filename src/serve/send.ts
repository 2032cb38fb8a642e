import { open } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { lookup } from "mrmime";
import { isErrno } from "../lib/files.ts";
import { endBytes, fileTypeOf } from "../media/magic.ts";
import { acceptsGzip, isFresh, rangeOf, type Version } from "./request.ts";

/** What is sent, before it is known how much of it: as much as the request's headers ask for. */
export interface Content {
  /** Usually 200; also 404 with a page. */
  status: number;
  /** Content type; undefined = told by the file's name, or by its bytes where that has no extension. */
  type?: string | undefined;
  headers: Record<string, string>;
  body: { file: string } | { bytes: Buffer; version: Version };
}

/** Below this, compressing costs more than it saves. */
const smallest = 1024;
const text = /^(?:text\/|application\/(?:json|javascript|xml|[\w.+-]+\+(?:json|xml))|image\/svg)/;

/**
 * Sends a file or bytes, as the request's method and conditional, range and encoding headers want it.
 * An answer other than 200 is sent whole.
 */
export async function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  content: Content,
): Promise<void> {
  const source = await openSource(content);
  try {
    const { bytes, version } = source;
    const type = content.type ?? (await source.type());
    const compressible = text.test(type);
    const headers: Record<string, string | number> = {
      "Content-Type": type,
      "Cache-Control": "no-cache",
      ...content.headers,
      ...(compressible ? { Vary: "Accept-Encoding" } : {}),
    };
    const plain = content.status === 200;
    if (plain) {
      headers["Last-Modified"] = new Date(version.modified).toUTCString();
      headers["Accept-Ranges"] = "bytes";
    }
    const wanted =
      plain && request.method === "GET" ? rangeOf(request.headers, bytes, version) : undefined;
    const gzip =
      compressible &&
      bytes >= smallest &&
      wanted === undefined &&
      acceptsGzip(request.headers["accept-encoding"]);
    // The compressed form is the same in meaning, not in bytes.
    if (plain) headers.ETag = gzip ? `W/${version.etag}` : version.etag;
    if (plain && isFresh(request.headers, version)) {
      const { "Content-Type": _, ...others } = headers;
      response.writeHead(304, others).end();
      return;
    }
    if (wanted === "unsatisfiable") {
      headers["Content-Range"] = `bytes */${bytes}`;
      response.writeHead(416, { ...headers, "Content-Length": 0 }).end();
      return;
    }
    if (wanted !== undefined) {
      headers["Content-Range"] = `bytes ${wanted.start}-${wanted.end}/${bytes}`;
    }
    if (gzip) headers["Content-Encoding"] = "gzip";
    else headers["Content-Length"] = wanted ? wanted.end - wanted.start + 1 : bytes;
    response.writeHead(wanted ? 206 : content.status, headers);
    if (request.method === "HEAD" || bytes === 0) response.end();
    else if (gzip) await pipeline(source.read(0, bytes - 1), createGzip(), response);
    else await pipeline(source.read(wanted?.start ?? 0, wanted?.end ?? bytes - 1), response);
  } catch (error) {
    // The client went away: nobody is left to be told.
    if (!isErrno(error, "ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE")) throw error;
  } finally {
    await source.close();
  }
}

interface Source {
  bytes: number;
  version: Version;
  type(): Promise<string>;
  /** Both ends included. */
  read(start: number, end: number): Readable;
  close(): Promise<void>;
}

async function openSource({ body }: Content): Promise<Source> {
  if ("bytes" in body) {
    const { bytes, version } = body;
    return {
      bytes: bytes.length,
      version,
      type: async () =>
        fileTypeOf({ head: bytes.subarray(0, endBytes), tail: bytes }, undefined).type,
      read: (start, end) => Readable.from([bytes.subarray(start, end + 1)]),
      close: async () => {},
    };
  }
  const handle = await open(body.file);
  const { size, mtimeMs } = await handle.stat();
  return {
    bytes: size,
    version: { etag: versionOf(size, mtimeMs), modified: mtimeMs },
    async type() {
      const known = typeByName(body.file);
      if (known !== undefined) return known;
      const { buffer, bytesRead } = await handle.read(
        Buffer.alloc(Math.min(size, endBytes)),
        0,
        undefined,
        0,
      );
      const head = buffer.subarray(0, bytesRead);
      return fileTypeOf({ head, tail: head }, undefined).type;
    },
    read: (start, end) => handle.createReadStream({ start, end, autoClose: false }),
    close: () => handle.close(),
  };
}

function versionOf(size: number, mtimeMs: number): string {
  return `"${size.toString(36)}-${Math.round(mtimeMs * 1000).toString(36)}"`;
}

/** Undefined for a name without an extension. */
function typeByName(path: string): string | undefined {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  if (!name.slice(1).includes(".")) return undefined;
  const type =
    lookup(name) ?? (name.endsWith(".ico") ? "image/x-icon" : "application/octet-stream");
  return /^text\//.test(type) ? `${type}; charset=utf-8` : type;
}

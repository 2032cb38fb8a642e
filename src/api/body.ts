import { type FileHandle, open, rm } from "node:fs/promises";
import type { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzip,
  inflate,
  inflateRaw,
} from "node:zlib";
import { exitCodes, StoreError } from "../errors.ts";
import { sha256Stream } from "../lib/digest.ts";
import { AttemptError } from "./failure.ts";
import { type Headers, headerOf } from "./rate-headers.ts";

/** An answer whose headers have arrived. */
export interface Answer {
  statusCode: number;
  headers: Headers;
  body: Readable;
}

/** An answer in JSON: the text as it came, and what JSON.parse makes of it. */
export interface JsonAnswer {
  text: string;
  value: unknown;
}

/** A finished download: the file lies complete and synced at the path that was given. */
export interface Downloaded {
  bytes: number;
  /** Of the content, hexadecimal. */
  sha256: string;
  /** Content-Type without parameters, lower case; undefined where the answer had none. */
  type: string | undefined;
}

/**
 * Reads an answer in JSON, compressed or not. Bytes that are no UTF-8 become U+FFFD, as browsers show them.
 *
 * @param maxBytes of the body as it travels, and once more when it is unpacked
 * @throws AttemptError when it is larger, damaged, or no JSON
 */
export async function readJson(
  answer: Answer,
  maxBytes: number,
): Promise<JsonAnswer & { bytes: number; damaged: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge("answer", answer, maxBytes);
    chunks.push(chunk);
  }
  const content = await unpacked(Buffer.concat(chunks), answer, maxBytes);
  const { text, damaged } = decodeUtf8(content);
  try {
    return { text, value: JSON.parse(text), bytes, damaged };
  } catch (cause) {
    // An answer cut short by a proxy looks like this too, so it is worth another attempt.
    const type = typeOf(answer);
    const web = type === "text/html";
    throw new AttemptError(web ? "answer is a web page, not JSON" : "answer is not JSON", {
      cause,
      hint: web ? "check origin.baseUrl: it must be the address of the API" : undefined,
    });
  }
}

const unpackers = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
};
const unpackRaw = promisify(inflateRaw);

async function unpacked(content: Buffer, answer: Answer, maxBytes: number): Promise<Buffer> {
  const coding = codingOf(answer);
  if (coding === undefined || content.length === 0) return content;
  // "deflate" means the zlib format, but some servers send it without the zlib header.
  const bare = coding === "deflate" && ((content[0] as number) & 0x0f) !== 8;
  try {
    return await (bare ? unpackRaw : unpackers[coding])(content, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") throw error;
    throw tooLarge("answer", answer, maxBytes);
  }
}

function decodeUtf8(content: Buffer): { text: string; damaged: boolean } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(content), damaged: false };
  } catch {
    return { text: new TextDecoder().decode(content), damaged: true };
  }
}

export interface SaveLimits {
  maxBytes: number;
  /** A file that stays below this on average of `slowAfterMs` is taken for a drip and given up. */
  minBytesPerSecond: number;
  slowAfterMs: number;
}

/** Written at once, so that most files take one system call. */
const blockBytes = 1 << 20;

/**
 * Streams a body into a new file and makes it durable; removes what it wrote when it fails.
 *
 * @throws AttemptError when the body is too large or too slow
 * @throws StoreError when the disk takes no more
 */
export async function saveBody(
  answer: Answer,
  path: string,
  { maxBytes, minBytesPerSecond, slowAfterMs }: SaveLimits,
): Promise<Downloaded> {
  const decoder = decoderOf(answer);
  if (Number(headerOf(answer.headers, "content-length") ?? 0) > maxBytes) {
    throw tooLarge("file", answer, maxBytes);
  }
  const file = await locally(path, () => open(path, "w"));
  const hash = sha256Stream();
  let bytes = 0;
  let block: Buffer[] = [];
  let blockSize = 0;
  let failure: unknown;

  async function flush(): Promise<void> {
    const content = block.length === 1 ? (block[0] as Buffer) : Buffer.concat(block, blockSize);
    block = [];
    blockSize = 0;
    await locally(path, () => writeFully(file, content));
  }

  async function take(chunks: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLarge("file", answer, maxBytes);
        hash.update(chunk);
        block.push(chunk);
        blockSize += chunk.length;
        if (blockSize >= blockBytes) await flush();
      }
      await flush();
      await locally(path, () => file.sync());
    } catch (error) {
      // The pipeline may tell instead that it had to stop its other parts.
      failure ??= error;
      throw error;
    }
  }

  // A timer, because a drip would never let a check run that waits for data.
  const slow = new AbortController();
  let seen = 0;
  const watch = setInterval(() => {
    if (bytes - seen < (minBytesPerSecond * slowAfterMs) / 1000) slow.abort();
    seen = bytes;
  }, slowAfterMs);
  try {
    const { signal } = slow;
    if (decoder === undefined) await pipeline(answer.body, take, { signal });
    else await pipeline(answer.body, decoder, take, { signal });
  } catch (error) {
    await rm(path, { force: true });
    if (!slow.signal.aborted) throw failure ?? error;
    throw new AttemptError(`download is slower than ${minBytesPerSecond} bytes per second`);
  } finally {
    clearInterval(watch);
    await file.close();
  }
  return { bytes, sha256: hash.digest("hex"), type: typeOf(answer) };
}

/** Does something with a local file. @throws StoreError naming the file where the system refuses it */
async function locally<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new StoreError(`${path} cannot be written: ${code}`, { cause, exitCode: exitCodes.disk });
  }
}

async function writeFully(file: FileHandle, content: Buffer): Promise<void> {
  for (let done = 0; done < content.length; ) {
    done += (await file.write(content, done)).bytesWritten;
  }
}

/** The transfer's compression, which undici leaves on; undefined where there is none. */
function codingOf(answer: Answer): keyof typeof unpackers | undefined {
  const coding = headerOf(answer.headers, "content-encoding")?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "identity") return undefined;
  if (coding === "gzip" || coding === "x-gzip") return "gzip";
  if (coding === "br" || coding === "deflate") return coding;
  const { statusCode: status } = answer;
  throw new AttemptError("answer has an unknown content encoding", { status, final: true });
}

function decoderOf(answer: Answer): Transform | undefined {
  const coding = codingOf(answer);
  if (coding === "gzip") return createGunzip();
  if (coding === "br") return createBrotliDecompress();
  return coding === "deflate" ? createInflate() : undefined;
}

function typeOf({ headers }: Answer): string | undefined {
  const type = headerOf(headers, "content-type")?.split(";")[0]?.trim().toLowerCase();
  return type !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : undefined;
}

function tooLarge(what: string, answer: Answer, maxBytes: number): AttemptError {
  return new AttemptError(`${what} is above ${maxBytes} bytes`, {
    status: answer.statusCode,
    final: true,
  });
}

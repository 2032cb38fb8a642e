import { brotliCompressSync, gzipSync } from "node:zlib";
import { type Fault, json } from "./fault.ts";
import { type Hit, wireOf } from "./proxy.ts";

/** Answers with a status and a short text. */
function status(code: number, headers: Record<string, string> = {}, text = "injected") {
  return ({ socket }: Hit): void => {
    const body = Buffer.from(text);
    socket.write(
      wireOf({ status: code, headers: { "content-type": "text/plain", ...headers }, body }),
    );
  };
}

function redirect(location: string, code = 302): Fault["befall"] {
  return status(code, { location }, "");
}

function coded(coding: string, pack: (body: Buffer) => Buffer): Fault["befall"] {
  return ({ socket, answer }) => {
    const headers = { ...answer.headers, "content-encoding": coding };
    socket.write(wireOf({ ...answer, headers, body: pack(answer.body) }));
  };
}

const zeros = gzipSync(Buffer.alloc(16 << 20));
/** 1 GiB of zeros, as gzip members behind each other, which is one stream. */
const bomb = Buffer.concat(Array.from({ length: 64 }, () => zeros));

function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const middle = copy.length >> 1;
  copy[middle] = (copy[middle] ?? 0) ^ 0x55;
  return copy;
}

/** Other statuses than 200. */
export const statusFaults: readonly Fault[] = [
  ...[400, 401, 403, 404, 408, 410, 418, 425, 500, 502, 504].map(
    (code): Fault => ({ name: String(code), befall: status(code) }),
  ),
  { name: "429", befall: status(429) },
  { name: "429, again in 1 s", befall: status(429, { "retry-after": "1" }) },
  { name: "503", befall: status(503) },
  { name: "503, again in 1 s", befall: status(503, { "retry-after": "1" }) },
  { name: "503, again in a minute ago", befall: status(503, { "retry-after": "-60" }) },
  {
    name: "204",
    befall: ({ socket }) => void socket.write("HTTP/1.1 204 No Content\r\n\r\n"),
  },
  {
    name: "206, half of it",
    befall: ({ socket, answer }) => {
      const body = answer.body.subarray(0, answer.body.length >> 1);
      const range = `bytes 0-${body.length - 1}/${answer.body.length}`;
      const headers = { ...answer.headers, "content-range": range };
      socket.write(wireOf({ status: 206, headers, body }));
    },
  },
  {
    name: "304 that nobody asked for",
    befall: ({ socket }) => void socket.write('HTTP/1.1 304 Not Modified\r\netag: "x"\r\n\r\n'),
  },
  {
    name: "203",
    befall: ({ socket, answer }) => void socket.write(wireOf({ ...answer, status: 203 })),
  },
  { name: "302 without a location", befall: status(302) },
  {
    name: "302 to itself",
    befall: (hit) => redirect(hit.url)(hit),
  },
  { name: "302 to another host", befall: redirect("http://localhost:9/") },
  {
    name: "302 to a host of the cloud",
    befall: redirect("http://169.254.169.254/latest/meta-data/"),
  },
  { name: "302 to a file", befall: redirect("file:///etc/passwd") },
  { name: "302 to no URL", befall: redirect("http://[") },
  { name: "308 to the same host over https", befall: redirect("https://127.0.0.1:9/", 308) },
];

/** Compressed bodies. */
export const codingFaults: readonly Fault[] = [
  { name: "gzip, damaged", befall: coded("gzip", (body) => damaged(gzipSync(body))) },
  {
    name: "gzip, cut",
    befall: coded("gzip", (body) => gzipSync(body).subarray(0, -9)),
  },
  { name: "gzip that is none", befall: coded("gzip", (body) => body) },
  // Brotli has no checksum: only a cut can be told from another content.
  { name: "brotli, cut", befall: coded("br", (body) => brotliCompressSync(body).subarray(0, -3)) },
  { name: "an unknown coding", befall: coded("zebra", (body) => body) },
  { name: "a gzip bomb of 1 GiB", on: json, befall: coded("gzip", () => bomb) },
];

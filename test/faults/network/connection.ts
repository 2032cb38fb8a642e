import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "./fault.ts";
import { type Answer, type Hit, wireOf } from "./proxy.ts";

/** Head of an answer with other framing than Content-Length. */
function headOf({ status, headers }: Answer, framing: string, version = "1.1"): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/${version} ${status} Said\r\n${lines.join("")}${framing}\r\n`;
}

/** Writes pieces one after the other, each once the one before has gone out. */
async function write({ socket }: Hit, ...pieces: (string | Buffer)[]): Promise<void> {
  for (const piece of pieces) {
    await new Promise<void>((resolve) => {
      if (socket.destroyed) resolve();
      else socket.write(piece, () => resolve());
    });
  }
}

const half = (bytes: Buffer): Buffer => bytes.subarray(0, Math.ceil(bytes.length / 2));

/** A reset would overtake what was just written. */
const flushMs = 10;

async function resetAfter(hit: Hit, bytes: Buffer): Promise<void> {
  await write(hit, bytes);
  await sleep(flushMs);
  hit.socket.resetAndDestroy();
}

function chunk(bytes: Buffer): Buffer {
  const size = Buffer.from(`${bytes.length.toString(16)}\r\n`);
  return Buffer.concat([size, bytes, Buffer.from("\r\n")]);
}

const chunked = "transfer-encoding: chunked\r\n";

/** The connection, and what frames an answer in it. */
export const connectionFaults: readonly Fault[] = [
  { name: "connection refused", befall: ({ proxy }) => proxy.refuse(30) },
  { name: "reset before the headers", befall: ({ socket }) => void socket.resetAndDestroy() },
  {
    name: "reset in the headers",
    befall: (hit) => resetAfter(hit, wireOf(hit.answer).subarray(0, 40)),
  },
  {
    name: "reset in the body",
    befall: (hit) => resetAfter(hit, half(wireOf(hit.answer))),
  },
  { name: "closed before the headers", befall: ({ socket }) => void socket.end() },
  {
    name: "closed in the body",
    befall: ({ socket, answer }) => void socket.end(half(wireOf(answer))),
  },
  {
    name: "body without a length, cut",
    befall: ({ socket, answer }) => {
      const head = headOf(answer, "connection: close\r\n", "1.0");
      socket.end(Buffer.concat([Buffer.from(head), half(answer.body)]));
    },
  },
  {
    name: "no last chunk",
    befall: ({ socket, answer }) => {
      socket.end(Buffer.concat([Buffer.from(headOf(answer, chunked)), chunk(answer.body)]));
    },
  },
  {
    name: "a chunk cut, then the last one",
    befall: (hit) => {
      const size = Buffer.from(`${hit.answer.body.length.toString(16)}\r\n`);
      return write(hit, headOf(hit.answer, chunked), size, half(hit.answer.body), "0\r\n\r\n");
    },
  },
  {
    name: "size of a chunk that is no number",
    befall: (hit) =>
      write(hit, headOf(hit.answer, chunked), chunk(half(hit.answer.body)), "zebra\r\n\r\n"),
  },
  {
    name: "hanging without headers",
    befall: () => {},
  },
  {
    name: "hanging in the body",
    befall: (hit) => write(hit, half(wireOf(hit.answer))),
  },
  {
    name: "a byte at a time",
    async befall(hit) {
      for (const byte of wireOf(hit.answer)) {
        if (hit.socket.destroyed) return;
        hit.socket.write(Buffer.of(byte));
        await sleep(100);
      }
    },
  },
  {
    name: "headers of 20 KB",
    befall: (hit) =>
      write(
        hit,
        wireOf({ ...hit.answer, headers: { ...hit.answer.headers, x: "x".repeat(20_000) } }),
      ),
  },
  {
    name: "a header with a zero byte",
    befall: (hit) =>
      write(hit, wireOf({ ...hit.answer, headers: { ...hit.answer.headers, x: "a\0b" } })),
  },
  {
    name: "no status line",
    befall: (hit) =>
      write(hit, Buffer.concat([Buffer.from("HTCPCP/1.0 teapot\r\n\r\n"), hit.answer.body])),
  },
  {
    name: "two different lengths",
    befall: (hit) => {
      const { length } = hit.answer.body;
      const framing = `content-length: ${length}\r\ncontent-length: ${length - 1}\r\n`;
      return write(hit, headOf(hit.answer, framing), hit.answer.body);
    },
  },
  {
    name: "a length and chunks",
    befall: (hit) => {
      const framing = `content-length: ${half(hit.answer.body).length}\r\n${chunked}`;
      return write(hit, headOf(hit.answer, framing), chunk(hit.answer.body), "0\r\n\r\n");
    },
  },
  {
    name: "a length below zero",
    befall: (hit) => write(hit, headOf(hit.answer, "content-length: -1\r\n"), hit.answer.body),
  },
  {
    name: "garbage behind the body",
    befall: (hit) => write(hit, wireOf(hit.answer), "}\r\n\r\nGET / HTTP/1.1\r\n\r\n"),
  },
  {
    name: "an answer that nobody asked for behind it",
    befall: (hit) => {
      const body = Buffer.from('{"data":[]}');
      const headers = { "content-type": "application/json" };
      return write(hit, wireOf(hit.answer), wireOf({ status: 200, headers, body }));
    },
  },
  {
    name: "50 early hints first",
    befall: (hit) =>
      write(hit, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(50), wireOf(hit.answer)),
  },
  {
    name: "50 times 100 Continue first",
    befall: (hit) => write(hit, "HTTP/1.1 100 Continue\r\n\r\n".repeat(50), wireOf(hit.answer)),
  },
  {
    name: "another protocol",
    befall: (hit) =>
      write(hit, "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
  },
];

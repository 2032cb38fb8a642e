import { spawn } from "node:child_process";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/lib/digest.ts";
import type { Expected } from "./downloads.child.ts";
import { serve } from "./support.ts";

/** Around the amounts of which stream and socket buffers hold one; the last is above the client's limit. */
const sizes = [7_000, 40_000, 65_536, 66_000, 120_000, 240_000, 300_000];
const bodies = new Map(sizes.map((size) => [size, Buffer.from(`"${"x".repeat(size - 2)}"`)]));

type Send = (body: Buffer, response: ServerResponse) => void;

/** Answers whose end is the end of their connection. The last ones are never whole, or no success. */
const whole: Record<string, Send> = {
  length: (body, response) =>
    response.writeHead(200, { "content-length": body.length, connection: "close" }).end(body),
  chunked: (body, response) => response.writeHead(200, { connection: "close" }).end(body),
  gzip: (body, response) =>
    response
      .writeHead(200, { "content-encoding": "gzip", connection: "close" })
      .end(gzipSync(body, { level: 0 })),
  "http-1.0": raw("HTTP/1.0 200 OK\r\nContent-Length: %\r\n\r\n"),
  "http-1.0-no-length": raw("HTTP/1.0 200 OK\r\n\r\n"),
  "no-length": raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
};
const broken: Record<string, Send> = {
  cut: raw("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %\r\n\r\n", -1),
  "http-1.0-cut": raw("HTTP/1.0 200 OK\r\nContent-Length: %\r\n\r\n", -1),
  "cut-unannounced": raw("HTTP/1.1 200 OK\r\nContent-Length: %\r\n\r\n", -1),
  refused: raw("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n"),
  reset: (body, { socket }) => {
    const head = `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
    (socket as Socket).write(Buffer.concat([Buffer.from(head), body.subarray(0, -1)]), () =>
      (socket as Socket).resetAndDestroy(),
    );
  },
};
const framings = { ...whole, ...broken };

/** Sends a head, with the length of the body for its %, and the body up to `end`, and closes. */
function raw(head: string, end?: number): Send {
  return (body, { socket }) => {
    const start = Buffer.from(head.replace("%", String(body.length)));
    (socket as Socket).end(Buffer.concat([start, body.subarray(0, end)]));
  };
}

async function run(argument: object): Promise<{ code: unknown; out: string; error: string }> {
  const script = fileURLToPath(new URL("./downloads.child.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script, JSON.stringify(argument)]);
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, "close");
  const [out, error] = await output;
  return { code, out, error };
}

describe("an origin that closes its connections", () => {
  it("costs nothing that was whole, and never the process", async () => {
    const server = await serve((request, response) => {
      const [, framing = "", size] = (request.url as string).split("/");
      framings[framing]?.(bodies.get(Number(size)) as Buffer, response);
    });
    const files: Expected[] = Object.keys(framings).flatMap((framing) =>
      [...bodies].map(([size, body]) => ({ path: `/${framing}/${size}`, digest: sha256(body) })),
    );
    const rounds = 3;
    const { code, out, error } = await run({ baseUrl: server.url, files, rounds });
    expect(error).toBe("");
    expect(code).toBe(0);
    const good = Object.keys(whole).length * (sizes.length - 1) * rounds;
    const bad = files.length * rounds - good;
    expect(JSON.parse(out)).toEqual({
      downloaded: good,
      failed: bad,
      "json read": good,
      "json failed": bad,
    });
  });
});

// Who serves a file, or stands before the server: floods, drips, packs, mislabels, and never ends.
import { readdirSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ClientLimits } from "../../src/api/limits.ts";
import { clientOf, serve, serveRaw, temporaryFolder } from "../api/support.ts";

const whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** Downloads, and tells what came of it. */
async function fetchFrom(url: string, limits: Partial<ClientLimits> = {}) {
  const folder = temporaryFolder();
  const path = join(folder, "file");
  const client = clientOf(url, { limits: { maxAttempts: 2, ...limits } });
  const got = await client.download(`${url}/1`, path).then(
    () => readFileSync(path),
    (error: Error) => error.message,
  );
  const left = readdirSync(folder).filter((name) => name !== "file");
  return { got: String(got), requests: client.stats.requests, left };
}

/** Sends a piece again and again, as fast as it is taken, but not without end. */
function flood(socket: Socket, piece: string, most: number, end = ""): void {
  let sent = 0;
  const send = (): void => {
    let isTaken = true;
    while (isTaken && sent < most && !socket.destroyed) {
      sent += 100;
      isTaken = socket.write(piece.repeat(100));
    }
    if (socket.destroyed) return;
    if (sent >= most) socket.write(end);
    else socket.once("drain", send);
  };
  send();
}

describe("informational answers", () => {
  const hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";

  it("are passed over", async () => {
    const { url } = await serveRaw((socket) => socket.write(hints.repeat(5) + whole));
    expect((await fetchFrom(url)).got).toBe("hello");
  });

  it.each([102, 103, 199])("without end (%i) cost the file one request", async (status) => {
    const piece = `HTTP/1.1 ${status} Wait\r\nLink: </a>\r\n\r\n`;
    const { url } = await serveRaw((socket) => flood(socket, piece, 20_000, whole));
    const { got, requests } = await fetchFrom(url);
    expect(got).toMatch(/more than 100 informational answers after 1 attempt$/);
    expect(requests).toBe(1);
  });

  it("without end cost a list one request, too", async () => {
    const { url } = await serveRaw((socket) => flood(socket, hints, 20_000, whole));
    const client = clientOf(url);
    await expect(client.json(`${url}/tags`)).rejects.toThrow("more than 100 informational");
    expect(client.stats.requests).toBe(1);
  });
});

describe("trailers", () => {
  it.each([
    ["that repeat what headers say", "ETag: x\r\nContent-Type: text/html\r\nLocation: /y\r\n"],
    ["that ask for a pause of hours", "Retry-After: 99999\r\nX-RateLimit-Remaining: 0\r\n"],
    ["that would set a limit", "X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 86400\r\n"],
  ])("%s change nothing", async (_, trailers) => {
    const { url } = await serveRaw((socket) =>
      socket.write(`${chunked}5\r\nhello\r\n0\r\n${trailers}\r\n`),
    );
    const client = clientOf(url);
    const path = join(temporaryFolder(), "file");
    const file = await client.download(`${url}/1`, path);
    expect(file).toMatchObject({ bytes: 5, type: undefined, validators: undefined });
    expect(client.waits.pauseMs).toBe(0);
  });

  it.each([
    ["trailers", `${chunked}5\r\nhello\r\n0\r\n`],
    ["headers", "HTTP/1.1 200 OK\r\n"],
  ])("and headers without end are cut (%s)", async (_, head) => {
    const { url } = await serveRaw((socket) => {
      socket.write(head);
      flood(socket, "X-Y: zzzzzzzzzzzzzzzzzzzzzzzzzzzz\r\n", 1_000_000);
    });
    const { got, requests, left } = await fetchFrom(url);
    expect(got).toContain("UND_ERR_HEADERS_OVERFLOW");
    expect([requests, left]).toEqual([2, []]);
  });
});

describe("answers that can be read in two ways", () => {
  it.each([
    ["two lengths", `HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nhellohell`],
    [
      "a length and chunks",
      `${chunked.slice(0, -2)}Content-Length: 3\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    ],
    ["a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"],
    ["a chunk beyond all numbers", `${chunked}ffffffffffffffffff\r\nhello`],
  ])("are none: %s", async (_, bytes) => {
    const { url } = await serveRaw((socket) => socket.end(bytes));
    const { got, requests } = await fetchFrom(url);
    expect(got).toMatch(/after 2 attempts$/);
    expect(requests).toBe(2);
  });

  it("give their rest to no other request", async () => {
    const { url } = await serveRaw((socket, _, index) =>
      socket.write(index === 0 ? whole + whole.replace("hello", "EVIL!") : whole),
    );
    const client = clientOf(url, { crawl: { concurrency: 1 } });
    const folder = temporaryFolder();
    for (const name of ["1", "2", "3"]) {
      await client.download(`${url}/${name}`, join(folder, name));
      expect(readFileSync(join(folder, name), "utf8")).toBe("hello");
    }
  });
});

describe("a file that says it is packed", () => {
  const bytes = Buffer.from("%PDF-1.4 a paper");

  it.each([
    ["gzip", gzipSync(bytes)],
    ["X-GZIP", gzipSync(bytes)],
    ["br", brotliCompressSync(bytes)],
    // RFC 9110, 8.4.1: "identity" stands for no coding.
    ["identity, br", brotliCompressSync(bytes)],
    // Two members, RFC 1952, 2.2.
    ["gzip", Buffer.concat([gzipSync(bytes.subarray(0, 4)), gzipSync(bytes.subarray(4))])],
  ])("is unpacked (%s)", async (coding, packed) => {
    const server = await serve((_, r) =>
      r.writeHead(200, { "content-encoding": coding }).end(packed),
    );
    expect(await fetchFrom(server.url)).toEqual({ got: String(bytes), requests: 1, left: [] });
  });

  // The Fetch standard, "handle content codings": under an unknown one, the bytes are what they are.
  it.each(["gzip", "utf-8", "aws-chunked", "none", "binary", "UTF-8", "pdf"])(
    "and is not, is kept as it is (%s)",
    async (coding) => {
      const server = await serve((_, r) =>
        r.writeHead(200, { "content-encoding": coding }).end(bytes),
      );
      expect(await fetchFrom(server.url)).toEqual({ got: String(bytes), requests: 1, left: [] });
    },
  );

  it.each(["deflate", "zstd", "compress", "gzip, gzip", "gzip, br"])(
    "in a way that we do not read is a failure that says so (%s)",
    async (coding) => {
      const server = await serve((_, r) =>
        r.writeHead(200, { "content-encoding": coding }).end(bytes),
      );
      const { got, requests } = await fetchFrom(server.url);
      expect(got).toMatch(/unknown content encoding after 1 attempt$/);
      expect(requests).toBe(1);
    },
  );

  it("and is cut short leaves nothing behind", async () => {
    const packed = gzipSync(Buffer.alloc(1 << 20, "paper")).subarray(0, -9);
    const server = await serve((_, r) =>
      r.writeHead(200, { "content-encoding": "gzip" }).end(packed),
    );
    const { got, left } = await fetchFrom(server.url);
    expect(got).toContain("compressed answer is cut short");
    expect(left).toEqual([]);
  });
});

describe("a file without end", () => {
  it("fills the disk no further than to what the rest of the run needs", async () => {
    const server = await serve((_, response) => {
      const piece = Buffer.alloc(1 << 20);
      response.writeHead(200);
      const send = (): void => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once("drain", send);
      };
      send();
    });
    // No disk has so much left.
    const limits = { minFreeBytes: 2 ** 60, maxDownloadBytes: 256 << 20 };
    const { got, requests, left } = await fetchFrom(server.url, limits);
    expect(got).toMatch(/the disk has too little room for so large a file after 1 attempt$/);
    expect([requests, left]).toEqual([1, []]);
  });

  it("hinders no small file where little room is left", async () => {
    const { url } = await serveRaw((socket) => socket.write(whole));
    expect((await fetchFrom(url, { minFreeBytes: 2 ** 60 })).got).toBe("hello");
  });

  it("is given up, unread, where its length is above 16 GiB", async () => {
    const { url } = await serveRaw((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${16 * 2 ** 30 + 1}\r\n\r\n`),
    );
    const { got, requests } = await fetchFrom(url);
    expect(got).toMatch(/file is above 17179869184 bytes after 1 attempt$/);
    expect(requests).toBe(1);
  });
});

describe("a drip", () => {
  /** Answers with bytes at a pace that is just not stalled. */
  const drip = (socket: Socket): void => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 90000000\r\n\r\n");
    const timer = setInterval(() => socket.write("x".repeat(200)), 10);
    socket.on("close", () => clearInterval(timer));
  };
  const limits = { slowAfterMs: 200, minBytesPerSecond: 100, paceAfterMs: 400 };

  it("that goes on for long must be faster than one that has just begun, and is not tried again", async () => {
    const { url } = await serveRaw(drip);
    const { got, requests, left } = await fetchFrom(url, {
      ...limits,
      paceBytesPerSecond: 1 << 20,
    });
    expect(got).toMatch(/slower than 1048576 bytes per second after 1 attempt$/);
    expect([requests, left]).toEqual([1, []]);
  });

  it("makes the next ones be cut at a higher pace", async () => {
    const { url } = await serveRaw(drip);
    const path = join(temporaryFolder(), "file");
    const client = clientOf(url, { limits: { ...limits, paceBytesPerSecond: 1 << 20 } });
    for (const times of [1, 2, 3]) {
      await expect(client.download(`${url}/1`, path)).rejects.toThrow(
        `slower than ${times * (1 << 20)} bytes per second`,
      );
    }
  });

  it("of the headers' length is no reason to wait: a small file is there in time", async () => {
    const { url } = await serveRaw((socket) => socket.write(whole));
    const { got } = await fetchFrom(url, { ...limits, paceBytesPerSecond: 2 ** 40 });
    expect(got).toBe("hello");
  });
});

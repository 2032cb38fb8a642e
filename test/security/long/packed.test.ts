// Who serves a file and packs it: some kilobytes that become a quarter of a gigabyte.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { clientOf, serve, temporaryFolder } from "../../api/support.ts";

describe("a file that says it is packed", () => {
  it("in more than 256 MiB is given up once", async () => {
    const bomb = gzipSync(Buffer.alloc(257 << 20));
    expect(bomb.length).toBeLessThan(300_000);
    const server = await serve((_, r) =>
      r.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    );
    const client = clientOf(server.url);
    const folder = temporaryFolder();
    await expect(client.download(`${server.url}/1`, join(folder, "file"))).rejects.toThrow(
      "file is above 268435456 bytes after 1 attempt",
    );
    expect([client.stats.requests, readdirSync(folder)]).toEqual([1, []]);
  });

  it("fills the memory with no more than a few pieces, four at a time", async () => {
    const bomb = gzipSync(Buffer.alloc(100 << 20));
    const server = await serve((_, r) =>
      r.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    );
    const client = clientOf(server.url);
    const folder = temporaryFolder();
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
    }, 5);
    await Promise.all(
      ["1", "2", "3", "4"].map((name) =>
        client.download(`${server.url}/${name}`, join(folder, name)),
      ),
    );
    clearInterval(watch);
    // Each of them alone is 100 MiB.
    expect(peak).toBeLessThan(60 << 20);
  });
});

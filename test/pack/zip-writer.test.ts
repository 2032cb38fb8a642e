import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeZip } from "../../src/pack/zip-writer.ts";
import { readZip, unzip } from "./support.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-pack-"));
  path = join(folder, "x.zip");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const time = new Date("2026-11-28T15:08:25Z");

it("stores contents of any size in any pieces", async () => {
  const sizes = fc.oneof(fc.nat(100), fc.constantFrom(4 << 20, (4 << 20) + 1, 9_000_000));
  const contents = fc.array(fc.tuple(sizes, fc.integer({ min: 1, max: 3 << 20 })), {
    minLength: 1,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(contents, async (list) => {
      const expected = list.map(([size], at) => Buffer.alloc(size, `${at} of a few `));
      await writeZip(path, time, async (zip) => {
        for (const [at, [, piece]] of list.entries())
          await zip.add(`ü/${at}.bin`, cut(expected[at] as Buffer, piece));
      });
      const names = list.map((_, at) => `ü/${at}.bin`);
      expect(readZip(path)).toEqual(names);
      const made = unzip(path, folder);
      for (const [at, content] of expected.entries())
        expect(readFileSync(join(made, `ü/${at}.bin`)).equals(content)).toBe(true);
      rmSync(made, { recursive: true });
    }),
    { numRuns: 15 },
  );
});

/** The pieces of a content, all in the same memory. */
function* cut(content: Buffer, size: number): Generator<Buffer> {
  const shared = Buffer.alloc(size);
  for (let at = 0; at < content.length; at += size) {
    const length = content.copy(shared, 0, at, at + size);
    yield shared.subarray(0, length);
  }
}

it("holds more files than a field of 16 bits can count", async () => {
  await writeZip(path, time, async (zip) => {
    for (let n = 0; n < 66_000; n++) await zip.add(`${n}.txt`, [Buffer.from(String(n))]);
  });
  const names = readZip(path);
  expect(names.length).toBe(66_000);
  expect(names.at(-1)).toBe("65999.txt");
  expect(execFileSync("unzip", ["-p", path, "65999.txt"]).toString()).toBe("65999");
});

it("is dated, from 1980 on", async () => {
  const dates = {
    "1970-01-01T00:00:00Z": "19800101.000000",
    "2026-11-28T15:08:25Z": "20261128.150824",
  };
  for (const [date, shown] of Object.entries(dates)) {
    await writeZip(path, new Date(date), (zip) => zip.add("a", []));
    expect(execFileSync("unzip", ["-Z", "-T", path]).toString()).toContain(shown);
  }
});

it("leaves nothing where its content fails", async () => {
  const filling = writeZip(path, time, async (zip) => {
    await zip.add("a", [Buffer.alloc(9_000_000)]);
    throw new Error("no more");
  });
  await expect(filling).rejects.toThrow("no more");
  expect(readdirSync(folder)).toEqual([]);
});

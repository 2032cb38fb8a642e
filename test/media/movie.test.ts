// Expected offsets and units: ISO/IEC 14496-12, 8.2.2 (mvhd) and 8.3.2 (tkhd).
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { movieFacts } from "../../src/media/movie.ts";

const folder = mkdtempSync(join(tmpdir(), "stillpress-movie-"));
afterAll(() => rmSync(folder, { recursive: true }));

function factsOf(bytes: Buffer, type = "video/mp4") {
  const path = join(folder, "file");
  writeFileSync(path, bytes);
  return movieFacts(path, type);
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body]);
}

/** As large files have it: the size behind the type, in 64 bits. */
function longBox(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1);
  head.write(type, 4, "latin1");
  head.writeBigUInt64BE(BigInt(body.length + 16), 8);
  return Buffer.concat([head, body]);
}

function movieHeader(unit: number, length: number | bigint): Buffer {
  const isLong = typeof length === "bigint";
  const body = Buffer.alloc(isLong ? 112 : 100);
  body[0] = isLong ? 1 : 0;
  body.writeUInt32BE(unit, isLong ? 20 : 12);
  if (isLong) body.writeBigUInt64BE(length, 24);
  else body.writeUInt32BE(length, 16);
  return box("mvhd", body);
}

function track(width: number, height: number, [a, b, c, d] = [1, 0, 0, 1]): Buffer {
  const body = Buffer.alloc(84);
  const fixed = (value: number, at: number) => body.writeInt32BE(value * 65_536, at);
  for (const [value, at] of [
    [a, 40],
    [b, 44],
    [c, 52],
    [d, 56],
    [width, 76],
    [height, 80],
  ] as const)
    fixed(value ?? 0, at);
  return box("trak", box("tkhd", body), box("mdia", Buffer.alloc(20)));
}

const brand = box("ftyp", Buffer.from("isomiso2"));
const data = box("mdat", Buffer.alloc(5_000));
const sound = track(0, 0);

describe("movieFacts", () => {
  it.each([
    [
      "ahead of its data",
      [brand, box("moov", movieHeader(600, 1500), sound, track(640, 360)), data],
    ],
    ["behind it", [brand, data, box("moov", movieHeader(600, 1500), track(640, 360), sound)]],
    [
      "behind large data",
      [
        brand,
        longBox("mdat", Buffer.alloc(9_000)),
        box("moov", movieHeader(600, 1500n), track(640, 360)),
      ],
    ],
    [
      "on its side",
      [brand, box("moov", movieHeader(600, 1500), track(360, 640, [0, 1, -1, 0])), data],
    ],
  ])("reads size and length of a film whose header stands %s", async (_, parts) => {
    expect(await factsOf(Buffer.concat(parts))).toEqual({ width: 640, height: 360, seconds: 2.5 });
  });

  it("says nothing of what a file does not tell", async () => {
    const recording = Buffer.concat([brand, box("moov", movieHeader(600, 1500), sound)]);
    expect(await factsOf(recording, "audio/mp4")).toEqual({ seconds: 2.5 });
    const endless = box("moov", movieHeader(600, 0xffffffff), track(640, 360));
    expect(await factsOf(endless)).toEqual({ width: 640, height: 360 });
    expect(await factsOf(box("moov", movieHeader(0, 1500)))).toEqual({});
    expect(await factsOf(recording, "video/webm")).toEqual({});
    expect(await factsOf(Buffer.alloc(0))).toEqual({});
  });

  it("reads any bytes", async () => {
    const whole = Buffer.concat([brand, box("moov", movieHeader(600, 1500), track(640, 360))]);
    const damaged = fc
      .array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 8 })
      .map((changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, byte] of changes) bytes[at] = byte;
        return bytes;
      });
    const cut = fc.nat(whole.length).map((length) => whole.subarray(0, length));
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, cut), async (bytes) => {
        const { width = 1, height = 1, seconds = 1 } = await factsOf(bytes);
        for (const number of [width, height, seconds]) expect(number).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});

/**
 * A snapshot of photographs from an origin with a rate, beside what its requests and its encoders need at least: the
 * larger of requests / rate and CPU / cores. `npm run bench:photos -- --photos 500 --rate 5`
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { Collection } from "../src/demo/collection.ts";
import { uuidOf } from "../src/demo/ids.ts";
import type { Image } from "../src/demo/model.ts";
import { eachLimited } from "../src/lib/concurrency.ts";
import { startArchive } from "./archive.ts";
import { contentOf, imageOf } from "./corpus.ts";
import { benchOptions, inFolder } from "./lib.ts";
import { paintPhoto } from "./photo.ts";

const { sizes } = benchOptions({ photos: 100, megapixels: 12, rate: 5 });
/** Photographs that are painted; the others are made of them, because painting takes a second. */
const painted = 4;

async function photosIn(folder: string): Promise<Image[]> {
  const { photos, megapixels } = sizes;
  const path = (number: number): string => join(folder, `photo-${number}.jpg`);
  for (let n = 0; n < Math.min(painted, photos); n++) await paintPhoto(path(n), n + 1, megapixels);
  const others = Array.from({ length: Math.max(0, photos - painted) }, (_, n) => painted + n);
  await eachLimited(others, 2, async (n) => {
    // Other colours: no two have the same bytes.
    const shifts = [n % 16, Math.floor(n / 16) % 16, Math.floor(n / 256)].map(
      (one) => one * 2 - 16,
    );
    await sharp(path(n % painted))
      .linear([1, 1, 1], shifts)
      .jpeg({ quality: 90 })
      .toFile(path(n));
  });
  const all = Array.from({ length: photos }, async (_, n) => {
    const bytes = readFileSync(path(n));
    const { width, height } = await sharp(bytes).metadata();
    const size = { width, height, filesize: bytes.length };
    return imageOf(n, uuidOf("bench"), size, () => readFile(path(n)));
  });
  return await Promise.all(all);
}

async function main(folder: string): Promise<void> {
  const { photos, megapixels, rate } = sizes;
  const content = {
    ...(await contentOf(0, 0)),
    images: new Collection(await photosIn(folder)),
  };
  const archive = await startArchive(folder, content, { requests: rate, perSeconds: 1 });
  try {
    const { wallMs, cpuMs, peakMiB } = await archive.run("snapshot");
    const { requests } = JSON.parse(readFileSync(archive.out("report.json"), "utf8"));
    const [wall, cpu] = [wallMs / 1000, cpuMs / 1000 / availableParallelism()];
    const least = Math.max(requests / rate, cpu);
    const lines = [
      `photos: ${photos} of ${megapixels} megapixels, ${rate} requests a second`,
      `${requests} requests / rate: ${(requests / rate).toFixed(1)} s`,
      `CPU / cores: ${cpu.toFixed(1)} s`,
      `snapshot: ${wall.toFixed(1)} s, ${(wall / least).toFixed(2)} x the larger, ${peakMiB.toFixed(0)} MiB`,
    ];
    process.stdout.write(`\n${lines.join("\n  ")}\n`);
  } finally {
    await archive.close();
  }
}

await inFolder(main);

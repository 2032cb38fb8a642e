/**
 * A snapshot of photographs from an origin with a rate, beside what its requests and its encoders need at least: the
 * larger of requests / rate and CPU / cores. `npm run bench:photos -- --photos 500 --rate 5`
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import sharp from "sharp";
import { Collection } from "../src/demo/collection.ts";
import { uuidOf } from "../src/demo/ids.ts";
import type { Image } from "../src/demo/model.ts";
import { startArchive } from "./archive.ts";
import { contentOf, imageOf } from "./corpus.ts";
import { benchOptions, inFolder } from "./lib.ts";
import { photosIn } from "./photo.ts";

const { sizes } = benchOptions({ photos: 100, megapixels: 12, rate: 5 });
async function imagesIn(folder: string): Promise<Image[]> {
  const paths = await photosIn(folder, sizes.photos, sizes.megapixels);
  const all = paths.map(async (path, n) => {
    const bytes = readFileSync(path);
    const { width, height } = await sharp(bytes).metadata();
    const size = { width, height, filesize: bytes.length };
    return imageOf(n, uuidOf("bench"), size, () => readFile(path));
  });
  return await Promise.all(all);
}

async function main(folder: string): Promise<void> {
  const { photos, megapixels, rate } = sizes;
  const content = {
    ...(await contentOf(0, 0)),
    images: new Collection(await imagesIn(folder)),
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

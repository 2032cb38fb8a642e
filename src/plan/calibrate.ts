import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Config } from "../config.ts";
import { ApiError, exitCodes } from "../errors.ts";
import { encodeRenditions } from "../media/encode.ts";
import { inspectFile } from "../media/inspect.ts";
import { pixelsOf, planVariants } from "../media/variants.ts";
import type { Prober } from "../probe/prober.ts";
import { sum } from "./forecast.ts";

const forMs = 2_000;
/** Larger pictures are not downloaded only to measure, in bytes. */
const mostBytes = 20 << 20;

/** What the renditions of one pixel of an original cost on this machine. */
export interface Calibration {
  /** Of one core. */
  seconds: number;
  bytes: number;
}

/** Makes the renditions of some pictures of the origin for two seconds; undefined where none can be had. */
export async function calibrate(
  prober: Prober,
  links: readonly string[],
  media: Config["media"],
): Promise<Calibration | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-plan-"));
  try {
    const tasks = [];
    for (const [at, link] of links.entries()) {
      const path = join(folder, String(at));
      if (!(await isDownloaded(prober, link, path))) continue;
      const { image } = await inspectFile(path);
      const settings = { quality: media.quality, limitPixels: media.limitPixels };
      if (image) tasks.push({ path, image, plans: planVariants(image, media), settings });
    }
    if (tasks.length === 0) return undefined;
    let [rounds, bytes] = [0, 0];
    const begun = performance.now();
    for (; rounds === 0 || performance.now() - begun < forMs; rounds++) {
      for (const task of tasks) {
        for await (const rendition of encodeRenditions(task)) bytes += rendition.bytes.length;
      }
    }
    const pixels = rounds * sum(tasks.map(({ image }) => pixelsOf(image)));
    return { seconds: (performance.now() - begun) / 1000 / pixels, bytes: bytes / pixels };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function isDownloaded(prober: Prober, link: string, path: string): Promise<boolean> {
  try {
    return (await prober.client.download(link, path, { maxBytes: mostBytes })) !== undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.exitCode === exitCodes.budget) throw error;
    return false;
  }
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Config } from "../config.ts";
import { ApiError, exitCodes } from "../errors.ts";
import { createDecoders } from "../media/decoders.ts";
import type { RenderTask } from "../media/encode.ts";
import { flawOf } from "../media/render.ts";
import { pixelsOf, planVariants } from "../media/variants.ts";
import type { Prober } from "../probe/prober.ts";
import { sum } from "./forecast.ts";
import type { Survey } from "./sample.ts";

const forMs = 2_000;
/** A picture that takes longer says nothing about the others. */
const limitMs = 20_000;
/** Larger pictures are not downloaded only to measure, in bytes. */
const mostBytes = 20 << 20;

/**
 * Makes the renditions of some pictures of the origin for two seconds.
 *
 * @returns what the renditions of one pixel of an original cost on this machine: seconds of one core, and bytes;
 * undefined where no picture can be had
 */
export async function calibrate(prober: Prober, links: Survey["links"], media: Config["media"]) {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-plan-"));
  const decoders = createDecoders({ slots: 1, limitPixels: media.limitPixels, limitMs });
  try {
    let tasks: RenderTask[] = [];
    for (const [at, [id, url]] of links.entries()) {
      const path = join(folder, String(at));
      const downloading = prober.client.download(url, path, { id, maxBytes: mostBytes });
      if ((await downloading.catch(undownloaded)) === undefined) continue;
      const { image } = await decoders.inspect(path).catch(nothingOf);
      if (image === undefined) continue;
      const plans = planVariants(image, media);
      const targets = plans.flatMap(({ formats }) => formats).map((_, n) => `${path}-${n}`);
      tasks.push({ path, image, plans, settings: media, targets });
    }
    const spent = { ms: 0, pixels: 0, bytes: 0 };
    while (tasks.length > 0 && spent.ms < forMs) {
      for (const task of tasks) {
        const begun = performance.now();
        const { files } = await decoders.render(task).catch(nothingOf);
        // One that cannot be made is left out, as the media stage leaves it without renditions.
        if (files === undefined) tasks = tasks.filter((other) => other !== task);
        else {
          spent.ms += performance.now() - begun;
          spent.pixels += pixelsOf(task.image);
          spent.bytes += sum(files.map(({ bytes }) => bytes));
        }
      }
    }
    const { ms, pixels, bytes } = spent;
    return pixels === 0 ? undefined : { seconds: ms / 1000 / pixels, bytes: bytes / pixels };
  } finally {
    await decoders.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of a picture that no decoder can read. @throws any other error as it is */
function nothingOf(error: unknown): { image?: undefined; files?: undefined } {
  flawOf(error);
  return {};
}

/** @throws an error that is about more than this picture, as it is */
function undownloaded(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.exitCode === exitCodes.budget) throw error;
}

import { rmSync } from "node:fs";
import { readItem, WireMedia } from "../api/schema.ts";
import { ApiError, exitCodes } from "../errors.ts";
import { isObject } from "../lib/objects.ts";
import type { Media } from "../store/records.ts";
import type { MediaContext } from "./context.ts";
import { type FileFacts, identifyFile } from "./inspect.ts";
import type { WantedItem } from "./jobs.ts";
import type { Made } from "./made.ts";
import { isWebVersion } from "./outcome.ts";
import { pixelsOf } from "./variants.ts";

/** More than any web version has. */
const maxBytes = 256 << 20;
/** Statuses of a service that is busy, or gives no answer; 500 is its word on this image. */
const passing = new Set([0, 429, 502, 503, 504]);
/** In a row, before no more are asked for. */
const mostFailures = 5;
/** A picture with less than this part of the recorded pixels is only a preview, as raw files of cameras have one. */
const previewShare = 1 / 4;

/**
 * What was made of an original; where that cannot be decoded here, with renditions of the web version that the origin
 * has made of it (`links.web`). The original itself stays what it is.
 */
export async function orFromWeb(
  item: WantedItem,
  record: Media,
  made: Made,
  context: MediaContext,
): Promise<Made> {
  const reason = made.flaw?.reason ?? previewIn(made.facts, record);
  const isOriginal = item.kind === "images" && !isWebVersion(item, record);
  if (!isOriginal || record.web === null) return made;
  if (reason === undefined || made.flaw?.passing) return made;
  const web = await fromWeb(item.id, record.web, context);
  if (web === "failed")
    return made.flaw ? { ...made, flaw: { ...made.flaw, passing: true } } : made;
  if (web?.facts.image === undefined || web.flaw !== undefined) return made;
  const { image } = web.facts;
  const [width, height] =
    record.width && record.height ? [record.width, record.height] : [image.width, image.height];
  return {
    ...made,
    facts: { ...made.facts, image: { ...image, width, height } },
    renditions: web.renditions,
    thumbHash: web.thumbHash,
    limited: made.limited || made.flaw?.limited === true,
    flaw: undefined,
    remarks: [...made.remarks, `renditions show the origin's web version: ${reason}`],
  };
}

function previewIn({ type, image }: FileFacts, { width, height }: Media): string | undefined {
  if (type !== "image/tiff" || image === undefined || !width || !height) return undefined;
  if (pixelsOf(image) >= width * height * previewShare) return undefined;
  return `only a preview of ${image.width} × ${image.height} pixels can be decoded here`;
}

/**
 * What is made of the web version of an image; undefined where the origin has none. "failed": another run may get it.
 * After some failures in a row no more are asked for, so that they do not cost the night.
 */
async function fromWeb(id: string, unsigned: string, context: MediaContext) {
  const { client, renderer, store, tally, webFailures } = context;
  if (webFailures.inRow >= mostFailures) return "failed";
  const path = store.blobs.temporaryPath();
  try {
    const link = (await signedLink(id, context)) ?? unsigned;
    const file = await client.download(link, path, { id, maxBytes });
    if (file === undefined) return undefined;
    webFailures.inRow = 0;
    // A drawing costs what its author likes, and no service makes one of a picture.
    if ((await identifyFile(path, file.type)).type === "image/svg+xml") return undefined;
    tally.downloaded++;
    tally.bytes += file.bytes;
    return await renderer.make({ ...file, path });
  } catch (error) {
    if (!isBearable(error)) throw error;
    // A link to a host that is not allowed was never requested.
    const isPassing = error.attempts > 0 && passing.has(error.status);
    webFailures.inRow = isPassing ? webFailures.inRow + 1 : 0;
    return isPassing ? "failed" : undefined;
  } finally {
    rmSync(path, { force: true });
  }
}

/** The address of the web version as the origin signs it now; undefined where the image cannot be asked for alone. */
async function signedLink(id: string, { client, routes }: MediaContext) {
  const url = routes.urlOf({ route: "single", index: "images", id });
  if (url === undefined) return undefined;
  try {
    const { value } = await client.json(url);
    const { data } = readItem(WireMedia, isObject(value) ? value.data : undefined);
    return data?.links.web ?? undefined;
  } catch (error) {
    // A link without its signature says nothing of a service that is busy.
    if (!isBearable(error) || passing.has(error.status)) throw error;
    return undefined;
  }
}

/** Whether a failure costs the renditions and nothing else: whether the origin is there, other requests tell. */
function isBearable(error: unknown): error is ApiError {
  return error instanceof ApiError && error.exitCode !== exitCodes.budget;
}

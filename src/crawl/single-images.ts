import { ApiError, BudgetError } from "../errors.ts";
import type { SingleImages } from "../routes/learned.ts";
import { deriveSingleForm, type SingleSample } from "../store/single-form.ts";
import type { Ref } from "../store/snapshots.ts";
import { ask } from "./ask.ts";
import { addRemark, type CrawlContext } from "./context.ts";
import { isRefusal } from "./failures.ts";
import { writtenOffset } from "./zone-check.ts";

/** Images that are asked for alone. */
const samples = 3;
/** Images among which those are chosen. */
const looked = 40;
/** Crawls until they are asked for again, where they follow from their list items and where they do not. */
const roundsUntil = { follows: 30, differs: 5 };

/**
 * How the origin answers for single images: a few are asked for, once and again after many crawls, and compared with
 * their list items. Nothing that happens here is a problem of the crawl.
 *
 * @param known what earlier crawls have learnt
 * @param images the public images that the origin lists
 * @param singles single articles, which show the offsets of the origin's time zone
 */
export async function askSingleImages(
  context: CrawlContext,
  known: SingleImages | undefined,
  images: readonly Ref[],
  singles: readonly Ref[],
): Promise<SingleImages | undefined> {
  const { draft, config } = context;
  const wait = known?.form ? roundsUntil.follows : roundsUntil.differs;
  const due = known === undefined || (draft.round > 0 && draft.round % wait === 0);
  if (config.origin.paths.image === null) return undefined;
  const learned =
    (due && images.length > 0 ? await learn(context, images, singles) : undefined) ?? known;
  if (learned?.form === null) {
    addRemark(context, {
      subject: "single images",
      reason: `their answers differ from the list items, so the mirror gives the list items: ${learned.reason}`,
    });
  }
  return learned;
}

/** Undefined where the origin gave no answer that tells anything. */
async function learn(
  context: CrawlContext,
  images: readonly Ref[],
  singles: readonly Ref[],
): Promise<SingleImages | undefined> {
  const found: SingleSample[] = [];
  for (const ref of chosen(context, images)) {
    const { id, digest } = ref;
    const url = context.routes.urlOf({ route: "single", index: "images", id });
    if (url === undefined) return undefined;
    try {
      const answer = await ask<string>(context, { url, read: ({ text }) => text });
      found.push({ id, listed: context.store.objects.readRaw(digest), answer });
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof BudgetError)) throw error;
      if (error instanceof ApiError && isRefusal(error)) {
        return { form: null, reason: `the origin answered with ${error.status}` };
      }
      context.reporter.info(`could not find out how single images are answered: ${error.message}`);
      return undefined;
    }
  }
  return deriveSingleForm(found, {
    timezone: context.config.origin.timezone,
    written: writtenOffsets(context, singles),
  });
}

/** Images from all of the index: the first, the last, and one of another time of the year. */
function chosen({ store }: CrawlContext, images: readonly Ref[]): Ref[] {
  const candidates = spread(images, looked);
  const monthOf = ({ digest }: Ref): number =>
    new Date(store.objects.readNormal("images", digest).createdAt ?? 0).getUTCMonth();
  const [first] = candidates;
  if (first === undefined) return [];
  const distance = (ref: Ref): number => {
    const months = Math.abs(monthOf(ref) - monthOf(first));
    return Math.min(months, 12 - months);
  };
  const [other = first] = candidates.toSorted((a, b) => distance(b) - distance(a));
  return [...new Set([first, other, candidates.at(-1) ?? first, ...candidates])].slice(0, samples);
}

/** At most so many items, from all of a list, its first and last one among them. */
function spread<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  return Array.from({ length: most }, (_, at) => {
    return list[Math.round((at * (list.length - 1)) / (most - 1))] as T;
  });
}

function writtenOffsets({ store }: CrawlContext, singles: readonly Ref[]): Map<number, number> {
  const offsets = new Map<number, number>();
  for (const { digest } of spread(singles, looked)) {
    const written = writtenOffset(store.objects.readRaw(digest));
    if (written !== undefined) offsets.set(written.time, written.minutes);
  }
  return offsets;
}

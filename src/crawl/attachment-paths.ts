import type { z } from "zod";
import { WireEnvelope } from "../api/schema.ts";
import type { Paths } from "../config.ts";
import { ApiError } from "../errors.ts";
import { withLearnedPaths } from "../routes/learned.ts";
import {
  type AttachmentRoute,
  attachmentRoutes,
  createRoutes,
  type MediaKind,
  type Parent,
} from "../routes/table.ts";
import { normalise } from "../store/records.ts";
import type { CrawlContext } from "./context.ts";
import { totalOf } from "./plan.ts";

/** Words for each kind of file in the paths of APIs; those in one place go together. */
export const nouns: Record<MediaKind, readonly string[]> = {
  images: ["images", "pictures", "photos"],
  videos: ["videos", "films", "movies"],
  documents: ["documents", "papers", "files", "docs"],
  audio: ["audio", "sounds", "audios", "audio-files"],
};

/** Usual shapes of paths, the likeliest first. */
const shapes = [
  "/{parent}/{id}/{noun}",
  "/{parent}/{id}/attachments/{noun}",
  "/{parent}/{id}/media/{noun}",
  "/attachments/{parent}/{id}/{noun}",
  "/{parent}/{id}/contents/{noun}",
  "/{parent}/{id}/assets/{noun}",
  "/media/{parent}/{id}/{noun}",
];
/** Paths that are asked for one list. */
export const mostPaths = 14;

/** How an origin names each kind of attachment in its paths. */
type Nouns = ReadonlyMap<MediaKind, string>;

/** Whether an answer is the list of an item's attachments, and how sure that is; undefined where it is not. */
export function fitOf(
  page: z.infer<typeof WireEnvelope> | undefined,
  kind: MediaKind,
  count: number | null,
): "sure" | "likely" | undefined {
  if (page === undefined) return undefined;
  const isKind = page.data.every((item) => !("error" in normalise(kind, item, "auto")));
  if (!isKind || (count !== null && page.data.length === 0)) return undefined;
  return (totalOf(page) ?? page.data.length) === count ? "sure" : "likely";
}

/**
 * Paths in the order in which they are tried. Lists of one parent have one shape, so that there the nouns are tried
 * first; where no shape is known of the parent, but the noun of the kind is, the shapes.
 *
 * @param known shapes that were found, by parent
 * @param found the words that were found
 */
export function likelyPaths(
  { parent, kind }: AttachmentRoute,
  known: ReadonlyMap<Parent, string>,
  found: Nouns,
): string[] {
  const shape = known.get(parent);
  const ofShapes = knownFirst(shapes, shape ?? [...known.values()].at(-1));
  const ofNouns = knownFirst(nouns[kind], found.get(kind) ?? nouns[kind][placeIn(found)]);
  const cost = { shape: 1, noun: 2 };
  if (shape !== undefined) cost.shape = ofNouns.length;
  else if (found.has(kind)) cost.noun = ofShapes.length;
  const ranked = ofShapes.flatMap((shape, at) =>
    ofNouns.map((noun, index) => ({
      path: shape.replace("{parent}", parent).replace("{noun}", noun),
      cost: at * cost.shape + index * cost.noun,
    })),
  );
  return ranked.sort((a, b) => a.cost - b.cost).map(({ path }) => path);
}

/** The place of the nouns that were found in their lists. */
function placeIn(found: Nouns): number {
  const places = [...found].map(([kind, noun]) => nouns[kind].indexOf(noun));
  return places.findLast((place) => place >= 0) ?? 0;
}

function knownFirst(all: readonly string[], known: string | undefined): string[] {
  return known === undefined ? [...all] : [known, ...all.filter((one) => one !== known)];
}

/** A list that was not found where it was thought to be. */
interface Lost extends AttachmentRoute {
  /** Of its parent. */
  id: string;
  count: number | null;
}

/**
 * Looks for the path of a kind that a crawl meets for the first time, with the shapes of its siblings first. What is
 * found is what the crawl asks from then on, and the next ones.
 *
 * @param siblings the settings of paths at which lists were found
 * @returns whether it was found
 */
export async function searchPath(
  context: CrawlContext,
  lost: Lost,
  siblings: readonly (keyof Paths)[],
): Promise<boolean> {
  const { client, reporter, config } = context;
  const { path, kind, parent, id, count } = lost;
  const { baseUrl, paths } = config.origin;
  const { shapes: known, nouns: found } = shapesOf(paths, siblings);
  const likely = likelyPaths(lost, known, found).filter((one) => one !== paths[path]);
  for (const candidate of likely) {
    const url = baseUrl + candidate.replace("{id}", encodeURIComponent(id));
    const value = await client.json(url).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      return undefined;
    });
    if (fitOf(WireEnvelope.safeParse(value?.value).data, kind, count) === undefined) continue;
    context.paths[path] = { instead: paths[path] as string, path: candidate };
    context.config = withLearnedPaths(config, { paths: context.paths });
    context.routes = createRoutes(context.config);
    const line = `"paths": { "${path}": "${candidate}" }`;
    reporter.warn(
      `lists of ${kind} of ${parent} are not at ${paths[path]}, but at ${candidate}`,
      `later runs know it; to have it in the configuration, write ${line} into origin`,
    );
    return true;
  }
  return false;
}

function shapesOf(paths: Paths, siblings: readonly (keyof Paths)[]) {
  const shapes = new Map<Parent, string>();
  const nouns = new Map<MediaKind, string>();
  for (const { parent, kind, path } of attachmentRoutes) {
    const configured = paths[path] ?? "{id}";
    const noun = configured.slice(configured.lastIndexOf("/") + 1);
    if (!siblings.includes(path) || noun.includes("{id}")) continue;
    shapes.set(parent, `${configured.slice(0, -noun.length).replace(parent, "{parent}")}{noun}`);
    nouns.set(kind, noun);
  }
  return { shapes, nouns };
}

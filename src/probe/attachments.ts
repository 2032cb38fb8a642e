import { totalOf } from "../crawl/plan.ts";
import {
  type AttachmentRoute,
  attachmentRoutes,
  type MediaKind,
  type Parent,
} from "../routes/table.ts";
import { normalise } from "../store/records.ts";
import type { Answer } from "./prober.ts";
import { findPath } from "./search.ts";
import type { Finding, Survey } from "./survey.ts";

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
const mostPaths = 14;
/** Requests that are left for the questions after this one. */
const spare = 8;

/** Finds the path of each attachment list: the configured one, or of the usual ones the first that answers. */
export async function findAttachments(survey: Survey): Promise<void> {
  const known = new Map<Parent, string>();
  for (const route of attachmentRoutes) {
    if (survey.origin.paths[route.path] === null) continue;
    survey.findings.push(await findList(survey, route, known));
  }
}

/** @param known the shapes of paths that were found, by parent */
async function findList(
  survey: Survey,
  route: AttachmentRoute,
  known: Map<Parent, string>,
): Promise<Finding> {
  const { parent, kind, path } = route;
  const configured = survey.origin.paths[path] as string;
  const subject = `${kind} of ${parent}`;
  const setting = `origin.paths.${path}` as const;
  const likely = candidates(survey, route, known);
  // The default is the first of the usual ones, as long as nothing else is known.
  const isDefault = configured === `/${parent}/{id}/${kind}`;
  const example = exampleOf(survey, route);
  if (example === undefined) {
    const means = `none of the ${parent} that were read has ${kind}`;
    const value = known.size === 0 ? configured : likely[0];
    const told = { subject, asked: "nothing", came: "", means };
    return { ...told, certainty: "unknown", setting: { path: setting, value } };
  }
  const means = `not found: fill in ${setting}, or null if this origin has none`;
  const found = await findPath(survey, {
    subject,
    path,
    kind,
    id: example.id,
    candidates: [...new Set([...(isDefault ? [] : [configured]), ...likely])].slice(0, mostPaths),
    spare,
    fits: (answer) => fitOf(answer, kind, example.count),
    none: { means, certainty: "missing", value: undefined },
  });
  const { certainty, setting: { value } = {} } = found;
  if (typeof value === "string" && certainty !== "unknown") {
    const noun = value.split("/").at(-1) as string;
    // The last part may be a query.
    if (noun.includes("{id}")) return found;
    known.set(parent, `${value.slice(0, -noun.length).replace(parent, "{parent}")}{noun}`);
    survey.nouns.set(kind, noun);
  }
  return found;
}

/** An article or gallery that has attachments of the kind, one whose count is known (not null) if there is any. */
function exampleOf({ articles, galleries }: Survey, { parent, kind }: AttachmentRoute) {
  const items = parent === "articles" ? articles : galleries;
  const counted = items.filter(({ attachments }) => (attachments[kind] ?? 0) > 0);
  const uncounted = items.filter(({ attachments }) => attachments[kind] === null);
  const found = counted[0] ?? uncounted[0];
  return found && { id: found.id, count: found.attachments[kind] };
}

/** Whether an answer is the list of an item's attachments, and how sure that is; undefined where it is not. */
function fitOf(
  { page }: Answer,
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
 */
function candidates(
  { nouns: found }: Survey,
  { parent, kind }: AttachmentRoute,
  known: ReadonlyMap<Parent, string>,
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
function placeIn(found: Survey["nouns"]): number {
  const places = [...found].map(([kind, noun]) => nouns[kind].indexOf(noun));
  return places.findLast((place) => place >= 0) ?? 0;
}

function knownFirst(all: readonly string[], known: string | undefined): string[] {
  return known === undefined ? [...all] : [known, ...all.filter((one) => one !== known)];
}

import { totalOf } from "../crawl/plan.ts";
import { type AttachmentRoute, attachmentRoutes, type MediaKind } from "../routes/table.ts";
import { normalise } from "../store/records.ts";
import type { Answer } from "./prober.ts";
import { findPath } from "./search.ts";
import type { Finding, Survey } from "./survey.ts";

/** Words for each kind of file in the paths of APIs; those in one place go together. */
export const nouns: Record<MediaKind, readonly string[]> = {
  images: ["images", "pictures", "photos"],
  videos: ["videos", "films", "movies"],
  documents: ["documents", "papers", "files"],
  audio: ["audio", "sounds", "audios"],
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

/** Something with attachments of a kind. */
interface Example {
  id: string;
  /** What its parent says; null where it says nothing. */
  count: number | null;
}

/** What is known of the paths so far. */
interface Known {
  shape?: string;
  /** The place of the nouns in their lists. */
  noun?: number;
}

/** Finds the path of each attachment list: the configured one, or of the usual ones the first that answers. */
export async function findAttachments(survey: Survey): Promise<void> {
  const known: Known = {};
  for (const route of attachmentRoutes) {
    if (survey.origin.paths[route.path] === null) continue;
    survey.findings.push(await findList(survey, route, known));
  }
}

async function findList(survey: Survey, route: AttachmentRoute, known: Known): Promise<Finding> {
  const { parent, kind, path } = route;
  const configured = survey.origin.paths[path] as string;
  const subject = `${kind} of ${parent}`;
  const setting = `origin.paths.${path}`;
  const example = exampleOf(survey, route);
  if (example === undefined) {
    const value = known.shape === undefined ? configured : candidates(route, known, [])[0];
    const means = `none of the ${parent} that were read has ${kind}`;
    const told = { subject, asked: "nothing", came: "", means };
    return { ...told, certainty: "unknown", setting: { path: setting, value } };
  }
  const means = `not found: fill in ${setting}, or null if this origin has none`;
  const found = await findPath(survey, {
    subject,
    path,
    kind,
    id: example.id,
    candidates: candidates(route, known, [configured]),
    fits: (answer) => fitOf(answer, kind, example),
    none: { means, certainty: "missing", value: undefined },
  });
  const { value } = found.setting ?? {};
  if (typeof value === "string") learn(survey, known, route, value);
  return found;
}

/** An article or gallery that has attachments of the kind, one whose count is known if there is any. */
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
  { count }: Example,
): "sure" | "likely" | undefined {
  if (page === undefined) return undefined;
  const isKind = page.data.every((item) => !("error" in normalise(kind, item, "auto")));
  if (!isKind || (count !== null && page.data.length === 0)) return undefined;
  return (totalOf(page) ?? page.data.length) === count ? "sure" : "likely";
}

/** Paths in the order in which they are tried: what is known of the others comes first. */
function candidates({ parent, kind }: AttachmentRoute, known: Known, first: readonly string[]) {
  const ofShapes = knownFirst(shapes, known.shape);
  const ofNouns = knownFirst(
    nouns[kind],
    known.noun === undefined ? undefined : nouns[kind][known.noun],
  );
  // Another noun than the known one is less likely than any shape.
  const costOfNoun = known.noun === undefined ? 2 : shapes.length;
  const ranked = ofShapes.flatMap((shape, at) =>
    ofNouns.map((noun, index) => ({
      path: shape.replace("{parent}", parent).replace("{noun}", noun),
      cost: at + costOfNoun * index,
    })),
  );
  const paths = ranked.sort((a, b) => a.cost - b.cost).map(({ path }) => path);
  return [...new Set([...first, ...paths])].slice(0, mostPaths);
}

function knownFirst(all: readonly string[], known: string | undefined): string[] {
  return known === undefined ? [...all] : [known, ...all.filter((one) => one !== known)];
}

/** Notes the shape and the noun of a path that was found. */
function learn(
  survey: Survey,
  known: Known,
  { parent, kind }: AttachmentRoute,
  path: string,
): void {
  const noun = path.split("/").at(-1) as string;
  known.shape = path.replace(parent, "{parent}").replace(new RegExp(`${noun}$`), "{noun}");
  const place = nouns[kind].indexOf(noun);
  if (place >= 0) known.noun = place;
  survey.nouns.set(kind, noun);
}

/**
 * The ordered lists of a snapshot. `x.single` are single forms; `x.attached` are files that are attached to
 * something but stand in no index; `images.private` are in the index only when private ones are asked for;
 * `images.left` have left it although the origin does not say that they are gone, as images that become private do.
 * `outdated` names articles and galleries, as `articles/{id}`, that could not be had in full: what the snapshot
 * has of them is older than their index form, so the next crawl must ask for them again. `removed` names, in the
 * same way, what is kept although the origin has removed it; `tombstones`, what left the archive for that.
 */
export const listNames = [
  "articles",
  "articles.single",
  "galleries",
  "galleries.single",
  "images",
  "images.private",
  "images.left",
  "images.attached",
  "videos",
  "videos.attached",
  "documents",
  "documents.attached",
  "audio",
  "audio.attached",
  "categories",
  "tags",
  "attachments",
  "outdated",
  "removed",
  "tombstones",
] as const;
export type ListName = (typeof listNames)[number];

/** What manifests and reports call some of the lists. Stores written by any version have these names on disk. */
const storedNames: Partial<Record<ListName, string>> = {
  "images.left": "images.retracted",
  "images.attached": "images.unlisted",
  "videos.attached": "videos.unlisted",
  "documents.attached": "documents.unlisted",
  "audio.attached": "audio.unlisted",
  outdated: "unsettled",
  removed: "withdrawn",
};
const fromStored = new Map(Object.entries(storedNames).map(([name, stored]) => [stored, name]));

/** storedListName("images.attached") → "images.unlisted" */
export function storedListName(name: string): string {
  return storedNames[name as ListName] ?? name;
}

/** listNameOf("images.unlisted") → "images.attached" */
export function listNameOf(stored: string): string {
  return fromStored.get(stored) ?? stored;
}

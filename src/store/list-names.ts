/**
 * The ordered lists of a snapshot.
 *
 * `x.single`: single forms. `x.attached`: files that are attached to something but stand in no index.
 * `images.private`: in the index only when private ones are asked for. `images.left`: have left the index although
 * the origin does not say that they are gone, as images that become private do. The ids in the last three are such as
 * `articles/{id}`. `outdated`: could not be read in full, so the next crawl asks again. `removed`: kept although the
 * origin has removed it. `tombstones`: left the archive because the origin has removed it.
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

/** Names of lists on disk and in reports, where stores of earlier versions have them. */
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

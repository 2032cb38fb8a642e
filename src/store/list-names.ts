/**
 * The ordered lists of a snapshot.
 *
 * `x.single`: single forms. `x.unlisted`: files that are attached to something but stand in no index.
 * `images.private`: in the index only when private ones are asked for. `images.retracted`: have left the index although
 * the origin does not say that they are gone, as images that become private do. The ids in the last three are such as
 * `articles/{id}`. `unsettled`: could not be read in full, so the next crawl asks again. `withdrawn`: kept although the
 * origin has removed it. `tombstones`: left the archive because the origin has removed it.
 */
export const listNames = [
  "articles",
  "articles.single",
  "galleries",
  "galleries.single",
  "images",
  "images.private",
  "images.retracted",
  "images.unlisted",
  "videos",
  "videos.unlisted",
  "documents",
  "documents.unlisted",
  "audio",
  "audio.unlisted",
  "categories",
  "tags",
  "attachments",
  "unsettled",
  "withdrawn",
  "tombstones",
] as const;
export type ListName = (typeof listNames)[number];

import { readItem, WireMedia } from "../api/schema.ts";
import { nouns } from "../crawl/attachment-paths.ts";
import { objectOf } from "./prober.ts";
import { findPath } from "./search.ts";
import type { Survey } from "./survey.ts";

const none = {
  means: "this origin has none, or at an unusual path",
  certainty: "likely",
  value: null,
} as const;

/** Finds single images, and the indexes of videos, documents and audio files. */
export async function findEndpoints(survey: Survey): Promise<void> {
  const { origin, pages, findings } = survey;
  const image = readItem(WireMedia, pages.get("images")?.data[0]).data;
  if (image !== undefined && origin.paths.image !== null) {
    const noun = survey.nouns.get("images") ?? "images";
    const paths = [origin.paths.image, `/${noun}/{id}`, "/image/{id}", "/image-records/{id}"];
    const found = await findPath(survey, {
      subject: "single images",
      path: "image",
      kind: "images",
      id: image.id,
      candidates: [...new Set(paths)],
      fits: (answer) => (String(objectOf(answer)?.id) === image.id ? "sure" : undefined),
      none,
    });
    findings.push(found);
  }
  for (const kind of ["videos", "documents", "audio"] as const) {
    const configured = origin.paths[kind];
    if (configured === null) continue;
    const noun = survey.nouns.get(kind) ?? kind;
    // A word that the attachments show is likelier than the default.
    const paths = [configured, `/${noun}`, `/media/${noun}`, `/${nouns[kind][1]}`];
    const candidates = noun === kind ? paths : [`/media/${noun}`, `/${noun}`, configured];
    const found = await findPath(survey, {
      subject: `index of ${kind}`,
      path: kind,
      kind,
      candidates: [...new Set(candidates)].slice(0, 3),
      fits: ({ page }) => (page === undefined ? undefined : "sure"),
      none,
    });
    findings.push(found);
  }
}

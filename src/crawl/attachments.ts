import { type MediaKind, mediaKinds } from "../routes/table.ts";
import type { Ref } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";
import type { Lists } from "./lists.ts";

/** What all attachment lists tell together. */
export interface AttachmentSurvey {
  /** Files that are attached but stand in no index, in the order in which they were found. */
  unlisted: ReadonlyMap<MediaKind, Ref[]>;
  /** Ids of the images in question that are attached to something. */
  attached: ReadonlySet<string>;
}

/**
 * Goes through the attachment lists once.
 *
 * @param also further images that count as found, behind those in the lists; ids of images of which it is in question
 * whether they are attached; names of the parents whose attachment lists are not the origin's of today
 */
export function surveyAttachments(
  context: CrawlContext,
  saved: Lists["saved"],
  attachments: Iterable<Ref>,
  also: { images: Iterable<Ref>; gone: ReadonlySet<string>; outdated: ReadonlySet<string> },
): AttachmentSurvey {
  const { objects, snapshots } = context.store;
  const { images, gone, outdated } = also;
  const known = new Map<MediaKind, Set<string>>();
  const unlisted = new Map<MediaKind, Ref[]>();
  const attached = new Set<string>();
  for (const kind of mediaKinds) {
    const ids = new Set<string>();
    known.set(kind, ids);
    unlisted.set(kind, []);
    for (const list of [saved[kind], kind === "images" ? saved["images.private"] : undefined]) {
      if (list !== undefined) for (const { id } of snapshots.refs(list)) ids.add(id);
    }
  }
  const note = (kind: MediaKind, ref: Ref): void => {
    if (known.get(kind)?.has(ref.id)) return;
    known.get(kind)?.add(ref.id);
    unlisted.get(kind)?.push(ref);
  };
  for (const { digest } of attachments) {
    const { parent, parentId, kind, items } = objects.readNormal("attachments", digest);
    const isCurrent = kind === "images" && !outdated.has(`${parent}/${parentId}`);
    for (const [id, item] of items) {
      note(kind, { id, digest: item });
      if (isCurrent && gone.has(id)) attached.add(id);
    }
  }
  for (const ref of images) note("images", ref);
  return { unlisted, attached };
}

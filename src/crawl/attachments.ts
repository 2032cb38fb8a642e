import { type MediaKind, mediaKinds, type Parent } from "../routes/table.ts";
import type { Ref } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";
import type { Lists } from "./lists.ts";

/** What all attachment lists hold together. */
export interface AttachmentSurvey {
  /** Items in the lists of one kind of parent. */
  collected(parent: Parent, kind: MediaKind): number;
  /** Files that are attached but stand in no index, in the order in which they were found. */
  attachedOnly: ReadonlyMap<MediaKind, Ref[]>;
}

/**
 * Goes through the attachment lists once.
 *
 * @param images further ones that count as found, behind those in the lists
 */
export function surveyAttachments(
  context: CrawlContext,
  attachments: Iterable<Ref>,
  images: Iterable<Ref>,
  saved: Lists["saved"],
): AttachmentSurvey {
  const { objects, snapshots } = context.store;
  const sums = new Map<string, number>();
  const known = new Map<MediaKind, Set<string>>();
  const attachedOnly = new Map<MediaKind, Ref[]>();
  for (const kind of mediaKinds) {
    const ids = new Set<string>();
    known.set(kind, ids);
    attachedOnly.set(kind, []);
    for (const list of [saved[kind], kind === "images" ? saved["images.private"] : undefined]) {
      if (list !== undefined) for (const { id } of snapshots.refs(list)) ids.add(id);
    }
  }
  const note = (kind: MediaKind, ref: Ref): void => {
    if (known.get(kind)?.has(ref.id)) return;
    known.get(kind)?.add(ref.id);
    attachedOnly.get(kind)?.push(ref);
  };
  for (const { digest } of attachments) {
    const { parent, kind, items } = objects.readNormal("attachments", digest);
    const name = `${parent}/${kind}`;
    sums.set(name, (sums.get(name) ?? 0) + items.length);
    for (const [id, item] of items) note(kind, { id, digest: item });
  }
  for (const ref of images) note("images", ref);
  return {
    attachedOnly,
    collected: (parent, kind) => sums.get(`${parent}/${kind}`) ?? 0,
  };
}

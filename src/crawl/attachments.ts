import { type MediaKind, mediaKinds } from "../routes/table.ts";
import type { Ref } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";
import type { Lists } from "./lists.ts";

/**
 * Goes through the attachment lists once.
 *
 * @param also further images that count as found, behind those in the lists; ids of images of which it is in question
 * whether they are attached; names of the parents whose attachment lists are not the origin's of today
 * @returns files that are attached but stand in no index, in the order in which they were found; ids of the images in
 * question that are attached to something
 */
export function surveyAttachments(
  { store }: CrawlContext,
  lists: Lists,
  also: { images: Iterable<Ref>; gone: ReadonlySet<string>; outdated: ReadonlySet<string> },
): { unlisted: ReadonlyMap<MediaKind, Ref[]>; attached: ReadonlySet<string> } {
  const known = new Map<MediaKind, Set<string>>();
  const unlisted = new Map<MediaKind, Ref[]>();
  const attached = new Set<string>();
  for (const kind of mediaKinds) {
    const others = kind === "images" ? lists.refs("images.private") : [];
    known.set(kind, new Set([...lists.refs(kind), ...others].map(({ id }) => id)));
    unlisted.set(kind, []);
  }
  const note = (kind: MediaKind, ref: Ref): void => {
    if (known.get(kind)?.has(ref.id)) return;
    known.get(kind)?.add(ref.id);
    unlisted.get(kind)?.push(ref);
  };
  for (const { digest } of lists.refs("attachments")) {
    const { parent, parentId, kind, items } = store.objects.readNormal("attachments", digest);
    const isCurrent = kind === "images" && !also.outdated.has(`${parent}/${parentId}`);
    for (const [id, item] of items) {
      note(kind, { id, digest: item });
      if (isCurrent && also.gone.has(id)) attached.add(id);
    }
  }
  for (const ref of also.images) note("images", ref);
  return { unlisted, attached };
}

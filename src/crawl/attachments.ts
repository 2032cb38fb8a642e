import { type MediaKind, mediaKinds, parents } from "../routes/table.ts";
import type { ListName } from "../store/list-names.ts";
import type { Ref } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";
import type { Lists } from "./lists.ts";
import type { Removals } from "./removals.ts";

/** Goes through the attachment lists once; `unsettled` are parents of which the snapshot has an older form. */
export function surveyAttachments(
  { store }: CrawlContext,
  lists: Lists,
  removals: Removals,
  unsettled: readonly Ref[],
) {
  const frozen = parents.flatMap((parent) =>
    [...lists.frozen[parent]].map((id) => `${parent}/${id}`),
  );
  // What was attached to these may no longer be.
  const older = new Set([...frozen, ...unsettled.map(({ id }) => id)]);
  const gone = new Set(removals.goneImages().map(({ id }) => id));
  const idsIn = (name: ListName): Set<string> => new Set(lists.refs(name).map(({ id }) => id));
  const known = new Map(mediaKinds.map((kind) => [kind, idsIn(kind)]));
  for (const id of idsIn("images.private")) known.get("images")?.add(id);
  const unlisted = new Map(mediaKinds.map((kind): [MediaKind, Ref[]] => [kind, []]));
  const attached = new Set<string>();
  const note = (kind: MediaKind, ref: Ref): void => {
    if (known.get(kind)?.has(ref.id)) return;
    known.get(kind)?.add(ref.id);
    unlisted.get(kind)?.push(ref);
  };
  for (const { digest } of lists.refs("attachments")) {
    const { parent, parentId, kind, items } = store.objects.readNormal("attachments", digest);
    const isCurrent = kind === "images" && !older.has(`${parent}/${parentId}`);
    for (const [id, item] of items) {
      note(kind, { id, digest: item });
      if (isCurrent && gone.has(id)) attached.add(id);
    }
  }
  for (const ref of removals.unprovedImages()) note("images", ref);
  return {
    /** Files that are attached but stand in no index, and images that stay although they left it. */
    unlisted,
    /** Ids of gone images that the origin still attaches to something. */
    attached,
  };
}

import type { ImageVisibility } from "../catalogue/visibility.ts";
import type { Remark, Reporter } from "../lib/reporter.ts";
import { plural, withoutProof } from "../lib/words.ts";
import type { SnapshotReader } from "../store/reader.ts";

/**
 * Tells of the images that nothing proves public: in one warning where there is no index of images, because all may be
 * missing then, else in a remark on each with the item that it is attached to.
 */
export function tellUnproved(
  snapshot: SnapshotReader,
  visibility: ImageVisibility,
  reporter: Reporter,
): Remark[] {
  const isUnproved = (id: string): boolean => visibility.of(id).visibility === "unproved";
  const unproved = new Set([...visibility.notShown()].filter(isUnproved));
  if (unproved.size === 0) return [];
  if (snapshot.list("images") === undefined) {
    const { text, hint } = withoutProof(plural(unproved.size, "picture"));
    reporter.warn(text, hint);
    return [];
  }
  const remarks: Remark[] = [];
  for (const ref of snapshot.refs("attachments")) {
    if (!ref.id.endsWith("/images")) continue;
    const { parent, parentId, items } = snapshot.read("attachments", ref).normal;
    for (const [id] of items) {
      if (!unproved.delete(id)) continue;
      const title = snapshot.find(parent, parent, parentId)?.normal.title ?? "";
      const reason = `attached to ${parent}/${parentId} ${JSON.stringify(title)}, but in no index: not published, because nothing proves that it is public`;
      remarks.push({ subject: `image ${id}`, reason, hint: 'media.unproved "publish" shows it' });
    }
  }
  return remarks;
}

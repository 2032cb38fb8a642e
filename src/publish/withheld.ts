import { readShown, type Shown } from "../catalogue/shown.ts";
import type { Config } from "../config.ts";
import type { Remark, Reporter } from "../lib/reporter.ts";
import { plural, withoutProof } from "../lib/words.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Store } from "../store/store.ts";

/** A configuration for older snapshots, which also takes down what the latest one hides. */
export function hidingAsNow(store: Store, config: Config): Config {
  const { site } = config;
  const latest = store.snapshots.latest();
  if (latest === undefined) return config;
  const { visibility, withheld } = readShown(store.reader(latest), config);
  const hidden = [...visibility.notShown(), ...Array.from(withheld.values(), ({ ref }) => ref.id)];
  const exclude = { ...site.exclude, ids: [...new Set([...site.exclude.ids, ...hidden])] };
  return { ...config, site: { ...site, exclude } };
}

/**
 * Warns of what a setting withholds in vain or in great number: entries of `site.exclude` that name nothing, and pictures
 * of a token without an index of images. Other pictures that nothing proves public get a remark each.
 */
export function tellWithheld(
  snapshot: SnapshotReader,
  { visibility, unused }: Pick<Shown, "visibility" | "unused">,
  reporter: Reporter,
): Remark[] {
  if (unused.length > 0) {
    reporter.warn(`site.exclude names what the snapshot does not have: ${unused.join(", ")}`);
  }
  return tellUnproved(snapshot, visibility, reporter);
}

function tellUnproved(
  snapshot: SnapshotReader,
  visibility: Shown["visibility"],
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

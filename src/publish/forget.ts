import { readExcluded } from "../catalogue/excluded.ts";
import { readerOf } from "../catalogue/shown.ts";
import type { ItemRecord } from "../catalogue/visibility.ts";
import type { Config } from "../config.ts";
import { draftFolder } from "../crawl/crawl.ts";
import { neededByDraft } from "../crawl/draft.ts";
import { ConfigError } from "../errors.ts";
import type { Problem } from "../lib/reporter.ts";
import type { IndexName } from "../routes/table.ts";
import type { ListName } from "../store/list-names.ts";
import { attachmentsRaw } from "../store/reader.ts";
import { type Ref, type SnapshotManifest, snapshotIds } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { refuseNoLongerShown } from "./canaries.ts";
import { publishedBuild } from "./swap.ts";

/**
 * Finds what `site.exclude` names in any snapshot. `forget` takes it out of all of them; they keep their ids. Its
 * records and files then wait for a prune.
 *
 * @throws ConfigError where the setting is empty, or a crawl is unfinished, which may have read it
 * @throws GuardError where the published build shows it
 */
export async function findForgettable(store: Store, out: string, config: Config) {
  const { exclude } = config.site;
  if (Object.values(exclude).every((texts) => texts.length === 0)) {
    throw new ConfigError("--excluded: site.exclude names nothing");
  }
  if (neededByDraft(draftFolder(store)).objects.size > 0) {
    const hint = 'run "stillpress snapshot" first';
    throw new ConfigError("--excluded: a crawl is unfinished", { hint });
  }
  const shown = publishedBuild(out);
  if (shown !== undefined) await refuseNoLongerShown(out, shown, config);
  const manifests = snapshotIds(store.folder).map((id) => store.snapshots.load(id));
  const items = new Map<string, ItemRecord>();
  for (const manifest of manifests) {
    const { records } = readExcluded(store.reader(manifest), exclude);
    for (const [name, record] of records) items.set(name, record);
  }
  return {
    /** Names, such as `articles/{id}`. */
    items: [...items.keys()],
    forget(): void {
      for (const manifest of manifests) {
        const kept = without(items, manifest, store);
        store.sync();
        store.snapshots.replace(kept);
      }
    },
  };
}

/** A snapshot as it would be if there had never been some of its items. */
function without(
  items: ReadonlyMap<string, ItemRecord>,
  manifest: SnapshotManifest,
  { reader, objects, snapshots }: Store,
): SnapshotManifest {
  const keeps = (kind: IndexName, id: string): boolean => !items.has(`${kind}/${id}`);
  const kept = readerOf(reader(manifest), keeps);
  const refsOf = (name: ListName): Iterable<Ref> => {
    if (name === "attachments") return attachmentLists();
    return [...kept.refs(name)].filter(({ id }) => name !== "tombstones" || !items.has(id));
  };
  function* attachmentLists(): Generator<Ref> {
    for (const ref of kept.refs("attachments")) {
      const { normal } = kept.read("attachments", ref);
      const list = kept.attachments(normal.parent, normal.parentId, normal.kind);
      if (list === undefined || list.items.length === normal.items.length) yield ref;
      else {
        const pairs = list.items.map(({ id, digest }): [string, string] => [id, digest]);
        const form = { ...normal, items: pairs };
        const digest = objects.put("attachments", ref.id, form, attachmentsRaw(list));
        yield { id: ref.id, digest };
      }
    }
  }
  const lists = Object.entries(manifest.lists).map(([name, list]) => {
    const { perPage, envelope, overrides } = kept.list(name as ListName) ?? list;
    const refs = refsOf(name as ListName);
    return [name, snapshots.saveList({ perPage, envelope, overrides, refs })];
  });
  const ids = Array.from(items.values(), ({ ref }) => ref.id);
  const isOfOthers = (one: Problem): boolean => !ids.some((id) => JSON.stringify(one).includes(id));
  const { problems, remarks } = manifest;
  return {
    ...manifest,
    lists: Object.fromEntries(lists),
    problems: problems.filter(isOfOthers),
    remarks: remarks.filter(isOfOthers),
  };
}

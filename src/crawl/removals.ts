import { envelopeForPage } from "../api/envelope.ts";
import { eachLimited } from "../lib/concurrency.ts";
import type { Problem } from "../lib/reporter.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Tombstone } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import { brake } from "./brake.ts";
import { addProblem, type CrawlContext } from "./context.ts";
import { isGone, itemFailureOf } from "./failures.ts";
import type { Lists } from "./lists.ts";
import type { PagedList } from "./pages.ts";
import { type Watched, watched, withVanished } from "./plan.ts";

/** An item of the last snapshot that the origin lists no more. */
interface Vanished extends Ref {
  index: Watched;
  /** Whether the listing that lacks it was proved. */
  absent: boolean;
}

/**
 * What the origin says of an item that it lists no more: that it is gone; that it is still there, which for an image
 * means that it became private; or nothing that can be believed.
 */
interface Finding {
  fate: "gone" | "there" | "unknown";
  problem?: Problem;
}

/** What a crawl found out about the items that the origin lists no more. */
export interface Removals {
  before: SnapshotReader | undefined;
  /** The last snapshot, and the last complete one: what is missing from an incomplete one must not be forgotten with it. */
  snapshots: SnapshotReader[];
  /** Whether items that are gone stay, as `crawl.removals` may want it. */
  keeps: boolean;
  /** What the origin said of items, by their names. */
  findings: Map<string, Finding>;
  /** By the index that lacks them. */
  vanished: Map<Watched, Vanished[]>;
  /** Images of the origin's index; undefined where it could not be had. */
  publicImages: ReadonlySet<string> | undefined;
}

export function beginRemovals(
  { config }: CrawlContext,
  before: SnapshotReader | undefined,
  complete: SnapshotReader | undefined,
): Removals {
  const isSame = complete?.manifest.id === before?.manifest.id;
  return {
    before,
    snapshots: [before, isSame ? undefined : complete].filter((one) => one !== undefined),
    keeps: config.crawl.removals === "keep",
    findings: new Map(),
    vanished: new Map(),
    publicImages: undefined,
  };
}

/**
 * Looks at the lists that were walked since the last call, and puts back into them what is to stay: everything that
 * the origin does not say to be gone, everything where the listing could not be proved, and with `removals: "keep"`
 * the rest too.
 *
 * @throws GuardError where more vanished than `crawl.maxRemoved` allows
 */
export async function settleRemovals(
  context: CrawlContext,
  removals: Removals,
  lists: Lists,
): Promise<void> {
  const { vanished } = removals;
  const { walked, proofs } = lists;
  for (const [index, { refs }] of walked) {
    const present = new Set(refs.map(({ id }) => id));
    if (index === "images") removals.publicImages = present;
    const absent = proofs.get(index)?.agreed === true;
    vanished.set(index, findVanished(context, removals, { index, absent }, present));
  }
  brakeWatched(context, removals);
  const believed = [...walked.keys()].flatMap((index) => vanished.get(index) ?? []);
  await eachLimited(
    believed.filter(({ absent }) => absent),
    context.config.crawl.concurrency,
    (item) => findOut(context, removals, item, lists),
  );
  for (const [index, list] of walked) settleIndex(context, removals, lists, index, list);
  walked.clear();
}

/** Images that are kept, although nothing proves any more that they are public. */
export function unprovedImages(removals: Removals): Ref[] {
  return leftImages(removals).filter((item) => {
    return removals.keeps || fateIn(removals, item) !== "there";
  });
}

/** What is kept although the origin has removed it, as the snapshot lists it. */
export function removedButKept(removals: Removals): Ref[] {
  if (!removals.keeps) return [];
  return goneItems(removals).map((item) => ({ id: nameOf(item), digest: item.digest }));
}

/** Images of which the origin says that they are gone. */
export function goneImages(removals: Removals): Ref[] {
  return goneItems(removals).filter(({ index }) => index === "images");
}

/** Images that left their index, and of which the origin does not say that they are gone. */
function leftImages(removals: Removals): Vanished[] {
  const images = removals.vanished.get("images") ?? [];
  return images.filter((item) => fateIn(removals, item) !== "gone");
}

/** What the origin says to be gone. */
function goneItems(removals: Removals): Vanished[] {
  const vanished = [...removals.vanished.values()].flat();
  return vanished.filter((item) => fateIn(removals, item) === "gone");
}

/** Undefined where nobody asked, because the listing that lacks the item was not proved. */
function fateIn({ findings }: Removals, item: Vanished): Finding["fate"] | undefined {
  return findings.get(nameOf(item))?.fate;
}

/**
 * The images that left the index, as those do that become private: those of the last snapshot that did not come back
 * into it, also where that was of another address of the origin, and those that left it now.
 *
 * @param attached ids of those gone images that the origin still attaches to something: it denies what the token may
 * not see, and says no more than that they became private
 */
export function imagesThatLeft(
  { store }: CrawlContext,
  removals: Removals,
  attached: ReadonlySet<string>,
): Ref[] {
  const refs = new Map<string, Ref>();
  const latest = store.snapshots.latest();
  for (const ref of latest === undefined ? [] : store.reader(latest).refs("images.left")) {
    if (removals.publicImages?.has(ref.id) !== true) refs.set(ref.id, ref);
  }
  for (const { id, digest } of goneImages(removals)) {
    if (attached.has(id)) refs.set(id, { id, digest });
  }
  for (const item of leftImages(removals)) {
    const { id, digest } = item;
    if (fateIn(removals, item) !== undefined) refs.set(id, { id, digest });
  }
  return [...refs.values()];
}

/**
 * The tombstones of the snapshot: those of the last one whose items did not come back, and of what is removed now.
 *
 * @param isListed whether `index/id` is in the new snapshot
 */
export function tombstonesOf(
  context: CrawlContext,
  removals: Removals,
  isListed: (name: string) => boolean,
): Ref[] {
  const refs = [...(removals.before?.refs("tombstones") ?? [])].filter(({ id }) => !isListed(id));
  const known = new Set(refs.map(({ id }) => id));
  for (const item of removals.keeps ? [] : goneItems(removals)) {
    const name = nameOf(item);
    if (known.has(name)) continue;
    const normal: Tombstone = {
      index: item.index,
      id: item.id,
      title: titleOf(context, item),
      removedAt: context.stamp().toISOString(),
      last: item.digest,
    };
    const text = JSON.stringify(normal);
    refs.push({ id: name, digest: context.store.objects.put("tombstones", name, normal, text) });
  }
  return refs;
}

/** Name of an item in messages and lists: `articles/7f3c`. */
function nameOf({ index, id }: { index: Watched; id: string }): string {
  return `${index}/${id}`;
}

/** Title of an item as it was listed last. */
function titleOf({ store }: CrawlContext, { index, digest }: Vanished): string {
  return store.objects.readNormal(index, digest).title.trim();
}

/** What snapshots have and the origin lists no more, without what has a tombstone already, or had become private. */
function findVanished(
  context: CrawlContext,
  removals: Removals,
  listing: { index: Watched; absent: boolean },
  present: ReadonlySet<string>,
): Vanished[] {
  const { before, keeps, snapshots } = removals;
  const { index } = listing;
  // What was taken for private must not come back as removed, out of an older snapshot.
  const hadLeft = (id: string): boolean =>
    index === "images" && keeps && before?.digestOf("images.left", id) !== undefined;
  const vanished = new Map<string, Vanished>();
  for (const snapshot of snapshots) {
    for (const ref of snapshot.refs(index)) {
      const item = { ...ref, ...listing };
      if (present.has(ref.id) || vanished.has(ref.id)) continue;
      if (!context.store.objects.has(ref.digest)) continue;
      if (before?.digestOf("tombstones", nameOf(item)) !== undefined) continue;
      if (snapshot === before || !hadLeft(ref.id)) vanished.set(ref.id, item);
    }
  }
  return [...vanished.values()];
}

/** @throws GuardError */
function brakeWatched(context: CrawlContext, removals: Removals): void {
  const losses = watched.map((index) => {
    const vanished = removals.vanished.get(index) ?? [];
    const gone = vanished.filter((item) => item.absent && !wasRemoved(removals, item));
    const named = gone.map((item) => {
      const title = titleOf(context, item);
      return title === "" ? nameOf(item) : `${nameOf(item)} ${JSON.stringify(title)}`;
    });
    const counts = removals.snapshots.map((snapshot) => snapshot.list(index)?.count ?? 0);
    return { name: index, before: Math.max(0, ...counts), gone: named };
  });
  brake(context.config.crawl.maxRemoved, losses);
}

function wasRemoved({ snapshots }: Removals, item: Vanished): boolean {
  const name = nameOf(item);
  return snapshots.some((one) => one.digestOf("removed", name) !== undefined);
}

async function findOut(
  context: CrawlContext,
  removals: Removals,
  item: Vanished,
  lists: Lists,
): Promise<void> {
  const { findings, keeps } = removals;
  const { draft } = context;
  const name = nameOf(item);
  if (findings.has(name)) return;
  const finding: Finding =
    keeps && wasRemoved(removals, item)
      ? { fate: "gone" }
      : await draft.once(`gone ${name}, ${draft.listing}`, async () => {
          if (keeps && item.index === "images" && !(await answersForImages(context, lists))) {
            return { fate: "unknown" };
          }
          return fateOf(context, item);
        });
  findings.set(name, finding);
  if (finding.problem !== undefined) addProblem(context, finding.problem);
}

/**
 * Whether a present image can be asked for, so that a missing one may stay public with `removals: "keep"`: the path
 * of single images is not documented, and a wrong one is missing for all.
 */
function answersForImages(context: CrawlContext, { walked }: Lists): Promise<boolean> {
  const present = walked.get("images")?.refs[0];
  return context.draft.once(`path of images, ${context.draft.listing}`, async () => {
    if (present === undefined) return false;
    return (await fateOf(context, { id: present.id, index: "images" })).fate === "there";
  });
}

/** Asks for an item that is no longer listed; anything but a clear answer is a problem. */
async function fateOf(
  context: CrawlContext,
  item: Pick<Vanished, "index" | "id">,
): Promise<Finding> {
  const { index, id } = item;
  const url = context.routes.urlOf({ route: "single", index, id });
  // Where single images cannot be asked for, nothing tells a deleted one from one that became private.
  if (url === undefined) return { fate: "there" };
  const subject = nameOf(item);
  try {
    await context.client.json(url);
  } catch (thrown) {
    const error = await itemFailureOf(context, thrown);
    if (isGone(error)) return { fate: "gone" };
    // An image that is not for this token any more became private; of anything else, 403 may be a fault.
    if (index === "images" && error.status === 403) return { fate: "there" };
    return {
      fate: "unknown",
      problem: { subject, reason: `no longer listed: ${error.message}` },
    };
  }
  if (index === "images") return { fate: "there" };
  const reason = "no longer listed, but the origin still answers for it";
  const hint = "the listing may be incomplete; run again";
  return { fate: "there", problem: { subject, reason, hint } };
}

/** Saves an index with what stays of the items that vanished from it. */
function settleIndex(
  { store }: CrawlContext,
  removals: Removals,
  lists: Lists,
  index: Watched,
  walked: PagedList,
): void {
  const kept = new Set<string>();
  const frozen = new Set<string>();
  for (const item of removals.vanished.get(index) ?? []) {
    const fate = fateIn(removals, item);
    if (fate === "gone" ? !removals.keeps : index === "images") continue;
    kept.add(item.id);
    if (fate !== "there") frozen.add(item.id);
  }
  if (index !== "images") lists.kept[index] = frozen;
  if (kept.size === 0) return;
  const present = new Set(walked.refs.map(({ id }) => id));
  let refs = walked.refs;
  for (const snapshot of removals.snapshots) {
    const staying = [...snapshot.refs(index)].filter(({ id }) => kept.has(id) || present.has(id));
    refs = withVanished(staying, refs);
  }
  const { malformed, total, ...list } = resized(walked, refs);
  lists.saved[index] = store.snapshots.saveList(list);
}

/** A list with other items, its pages as the origin would write them. */
function resized(list: PagedList, refs: Ref[]): PagedList {
  const { envelope, perPage } = list;
  const total = refs.length;
  const count = Math.min(total, perPage);
  const model = envelope && envelopeForPage(envelope, { page: 1, perPage, total, count });
  return { ...list, refs, total, envelope: model, overrides: {} };
}

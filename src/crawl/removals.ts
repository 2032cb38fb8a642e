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
}

/**
 * What the origin says of an item that it lists no more: that it is gone; that it is still there, which for an image
 * means that it became private; or nothing that can be believed.
 */
interface Finding {
  fate: "gone" | "there" | "unknown";
  problem?: Problem;
}

/** What became of the items that vanished from one index. */
interface Settled {
  /** What its proved listing lacks. */
  absent: Vanished[];
  /** Left the archive, because the origin says that they are gone. */
  removed: Vanished[];
  /** Kept although the origin says that they are gone. */
  removedButKept: Vanished[];
  /** Images that are kept, although nothing proves any more that they are public. */
  unproved: Ref[];
  /** Images that left their index, and of which the origin does not say that they are gone. */
  leftIndex: Ref[];
}

/** What a crawl found out about the items that the origin lists no more. */
export interface Removals {
  before: SnapshotReader | undefined;
  /**
   * The last complete snapshot, where that is another one: what is missing from an incomplete snapshot must not be
   * forgotten with it.
   */
  complete: SnapshotReader | undefined;
  /** What the origin said of items, by their names. */
  findings: Map<string, Finding>;
  settled: Map<Watched, Settled>;
  /** Images of the origin's index; undefined where it could not be had. */
  publicImages: ReadonlySet<string> | undefined;
}

export function beginRemovals(
  before: SnapshotReader | undefined,
  lastComplete: SnapshotReader | undefined,
): Removals {
  const complete = lastComplete?.manifest.id === before?.manifest.id ? undefined : lastComplete;
  return { before, complete, findings: new Map(), settled: new Map(), publicImages: undefined };
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
  const { settled } = removals;
  const found = new Map<Watched, Vanished[]>();
  const believed: Vanished[] = [];
  for (const [index, walked] of lists.walked) {
    if (index === "images") removals.publicImages = new Set(walked.refs.map(({ id }) => id));
    const vanished = findVanished(context, removals, index, walked);
    const absent = lists.proofs.get(index)?.agreed === true ? vanished : [];
    believed.push(...absent);
    found.set(index, vanished);
    settled.set(index, nothingSettled(absent));
  }
  brakeWatched(context, removals);
  await eachLimited(believed, context.config.crawl.concurrency, (item) =>
    findOut(context, removals, item, lists),
  );
  for (const [index, vanished] of found) settleIndex(context, removals, lists, index, vanished);
  lists.walked.clear();
}

/** Images that are kept, although nothing proves any more that they are public. */
export function unprovedImages({ settled }: Removals): Ref[] {
  return all(settled, "unproved");
}

/** What is kept although the origin has removed it, as the snapshot lists it. */
export function removedButKept({ settled }: Removals): Ref[] {
  const items = all(settled, "removedButKept");
  return items.map((item) => ({ id: nameOf(item), digest: item.digest }));
}

/** Images of which the origin says that they are gone. */
export function goneImages({ settled }: Removals): Vanished[] {
  const gone = [...all(settled, "removed"), ...all(settled, "removedButKept")];
  return gone.filter(({ index }) => index === "images");
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
  for (const ref of all(removals.settled, "leftIndex")) refs.set(ref.id, ref);
  return [...refs.values()];
}

/**
 * The tombstones of the snapshot: those of the last one whose items did not come back, and of what is removed now.
 *
 * @param isListed whether `index/id` is in the new snapshot
 */
export function tombstonesOf(
  context: CrawlContext,
  { before, settled }: Removals,
  isListed: (name: string) => boolean,
): Ref[] {
  const refs = [...(before?.refs("tombstones") ?? [])].filter(({ id }) => !isListed(id));
  const known = new Set(refs.map(({ id }) => id));
  for (const item of all(settled, "removed")) {
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

function nothingSettled(absent: Vanished[]): Settled {
  return { absent, removed: [], removedButKept: [], unproved: [], leftIndex: [] };
}

function all<K extends keyof Settled>(
  settled: ReadonlyMap<Watched, Settled>,
  member: K,
): Settled[K][number][] {
  return [...settled.values()].flatMap((one): Settled[K][number][] => one[member]);
}

/** Name of an item in messages and lists: `articles/7f3c`. */
function nameOf({ index, id }: { index: Watched; id: string }): string {
  return `${index}/${id}`;
}

/** Title of an item as it was listed last. */
function titleOf({ store }: CrawlContext, { index, digest }: Vanished): string {
  return store.objects.readNormal(index, digest).title.trim();
}

function keepsRemoved({ config }: CrawlContext): boolean {
  return config.crawl.removals === "keep";
}

function snapshotsOf({ before, complete }: Removals): SnapshotReader[] {
  return [before, complete].filter((snapshot) => snapshot !== undefined);
}

/** What snapshots have and the origin lists no more, without what has a tombstone already, or had become private. */
function findVanished(
  context: CrawlContext,
  removals: Removals,
  index: Watched,
  { refs }: PagedList,
): Vanished[] {
  const { before } = removals;
  // What was taken for private must not come back as removed, out of an older snapshot.
  const hadLeft = (id: string): boolean =>
    index === "images" &&
    keepsRemoved(context) &&
    before?.digestOf("images.left", id) !== undefined;
  const present = new Set(refs.map(({ id }) => id));
  const vanished = new Map<string, Vanished>();
  for (const snapshot of snapshotsOf(removals)) {
    for (const ref of snapshot.refs(index)) {
      const item = { ...ref, index };
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
  const snapshots = snapshotsOf(removals);
  const losses = watched.map((index) => {
    const absent = removals.settled.get(index)?.absent ?? [];
    const gone = absent.filter((item) => !wasRemoved(removals, item));
    const named = gone.map((item) => {
      const title = titleOf(context, item);
      return title === "" ? nameOf(item) : `${nameOf(item)} ${JSON.stringify(title)}`;
    });
    const counts = snapshots.map((snapshot) => snapshot.list(index)?.count ?? 0);
    return { name: index, before: Math.max(0, ...counts), gone: named };
  });
  brake(context.config.crawl.maxRemoved, losses);
}

function wasRemoved(removals: Removals, item: Vanished): boolean {
  const name = nameOf(item);
  return snapshotsOf(removals).some((one) => one.digestOf("removed", name) !== undefined);
}

async function findOut(
  context: CrawlContext,
  removals: Removals,
  item: Vanished,
  lists: Lists,
): Promise<void> {
  const { findings } = removals;
  const { draft } = context;
  const name = nameOf(item);
  if (findings.has(name)) return;
  const known = keepsRemoved(context) && wasRemoved(removals, item);
  const finding: Finding = known
    ? { fate: "gone" }
    : await draft.once(`gone ${name}, ${draft.listing}`, async () => {
        if (!(await mayBelieve(context, item, lists))) return { fate: "unknown" };
        return fateOf(context, item);
      });
  findings.set(name, finding);
  if (finding.problem !== undefined) addProblem(context, finding.problem);
}

/**
 * With `removals: "keep"`, a missing image stays public only where a present one can be asked for: the path of
 * single images is not documented, and a wrong one is missing for all.
 */
function mayBelieve(context: CrawlContext, item: Vanished, { walked }: Lists): Promise<boolean> {
  if (!keepsRemoved(context) || item.index !== "images") return Promise.resolve(true);
  const present = walked.get("images")?.refs[0];
  return context.draft.once(`path of images, ${context.draft.listing}`, async () => {
    if (present === undefined) return false;
    return (await fateOf(context, { ...present, index: "images" })).fate === "there";
  });
}

/** Asks for an item that is no longer listed; anything but a clear answer is a problem. */
async function fateOf(context: CrawlContext, item: Vanished): Promise<Finding> {
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

/** Sorts what vanished from one index, and saves the index with what stays of it. */
function settleIndex(
  context: CrawlContext,
  removals: Removals,
  lists: Lists,
  index: Watched,
  vanished: readonly Vanished[],
): void {
  const { findings, settled } = removals;
  const keeps = keepsRemoved(context);
  const walked = lists.walked.get(index) as PagedList;
  const result = nothingSettled(settled.get(index)?.absent ?? []);
  const kept = new Set<string>();
  const frozen = new Set<string>();
  for (const item of vanished) {
    const { id, digest } = item;
    const fate = findings.get(nameOf(item))?.fate;
    if (fate === "gone") (keeps ? result.removedButKept : result.removed).push(item);
    if (fate === "gone" && !keeps) continue;
    if (index === "images" && fate !== "gone") {
      if (fate !== undefined) result.leftIndex.push({ id, digest });
      if (keeps || fate !== "there") result.unproved.push({ id, digest });
      continue;
    }
    kept.add(id);
    if (fate !== "there") frozen.add(id);
  }
  settled.set(index, result);
  if (index !== "images") lists.kept[index] = frozen;
  if (kept.size === 0) return;
  const present = new Set(walked.refs.map(({ id }) => id));
  let refs = walked.refs;
  for (const snapshot of snapshotsOf(removals)) {
    const staying = [...snapshot.refs(index)].filter(({ id }) => kept.has(id) || present.has(id));
    refs = withVanished(staying, refs);
  }
  const { malformed, total, ...list } = resized(walked, refs);
  lists.saved[index] = context.store.snapshots.saveList(list);
}

/** A list with other items, its pages as the origin would write them. */
function resized(list: PagedList, refs: Ref[]): PagedList {
  const { envelope, perPage } = list;
  const total = refs.length;
  const count = Math.min(total, perPage);
  const model = envelope && envelopeForPage(envelope, { page: 1, perPage, total, count });
  return { ...list, refs, total, envelope: model, overrides: {} };
}

import { envelopeForPage } from "../api/envelope.ts";
import { eachLimited } from "../lib/concurrency.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Tombstone } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import { addProblem, type CrawlContext } from "./context.ts";
import { type Finding, fateOf, listedName, type Vanished } from "./fates.ts";
import type { Lists } from "./lists.ts";
import type { PagedList } from "./pages.ts";
import { type Watched, withVanished } from "./plan.ts";
import { brake, titleOf } from "./removal-brake.ts";

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

/** Decides about what the origin lists no more. */
export interface Removals {
  /**
   * Looks at the lists that were walked since the last call, and puts back into them what is to stay: everything
   * that the origin does not say to be gone, everything where the listing could not be proved, and with
   * `removals: "keep"` the rest too.
   *
   * @throws GuardError where more vanished than `crawl.maxRemoved` allows
   */
  settle(lists: Lists): Promise<void>;
  /** Images that are kept, although nothing proves any more that they are public. */
  unproved(): Ref[];
  /** What is kept although the origin has removed it, as the snapshot lists it. */
  removedButKept(): Ref[];
  /** Ids of the images of which the origin says that they are gone. */
  goneImages(): ReadonlySet<string>;
  /**
   * The images that left the index, as those do that become private: those of the last snapshot that did not come
   * back into it, and those that left it now.
   *
   * @param attached ids of those gone images that the origin still attaches to something: it denies what the token may
   * not see, and says no more than that they became private
   */
  leftIndex(attached: ReadonlySet<string>): Ref[];
  /**
   * The tombstones of the snapshot: those of the last one whose items did not come back, and of what is removed now.
   *
   * @param isListed whether `index/id` is in the new snapshot
   */
  tombstones(isListed: (name: string) => boolean): Ref[];
}

/** What the decisions are made with. */
interface Removing {
  context: CrawlContext;
  /**
   * The last snapshot, and the last complete one where that is another: an item that is missing from an incomplete
   * snapshot must not be forgotten with it.
   */
  before: readonly SnapshotReader[];
  /** What the origin said of items, by their names. */
  findings: Map<string, Finding>;
  settled: Map<Watched, Settled>;
  /** Images of the origin's index; undefined where it could not be had. */
  publicImages: ReadonlySet<string> | undefined;
}

function nothingSettled(absent: Vanished[]): Settled {
  return { absent, removed: [], removedButKept: [], unproved: [], leftIndex: [] };
}

/** @param before the last snapshot, and the last complete one where that is another */
export function createRemovals(context: CrawlContext, before: readonly SnapshotReader[]): Removals {
  const settled = new Map<Watched, Settled>();
  const state: Removing = {
    context,
    before,
    findings: new Map(),
    settled,
    publicImages: undefined,
  };
  return {
    settle: (lists) => settle(state, lists),
    unproved: () => all(settled, "unproved"),
    goneImages: () => new Set(goneImages(settled).map(({ id }) => id)),
    removedButKept: () =>
      all(settled, "removedButKept").map(({ index, id, digest }) => ({
        id: listedName(index, id),
        digest,
      })),
    leftIndex(attached) {
      const refs = new Map<string, Ref>();
      for (const ref of leftBefore(context)) {
        if (state.publicImages?.has(ref.id) !== true) refs.set(ref.id, ref);
      }
      for (const { id, digest } of goneImages(settled)) {
        if (attached.has(id)) refs.set(id, { id, digest });
      }
      for (const ref of all(settled, "leftIndex")) refs.set(ref.id, ref);
      return [...refs.values()];
    },
    tombstones: (isListed) => tombstonesOf(state, isListed),
  };
}

function all<K extends keyof Settled>(
  settled: ReadonlyMap<Watched, Settled>,
  member: K,
): Settled[K][number][] {
  return [...settled.values()].flatMap((one): Settled[K][number][] => one[member]);
}

/** Images of which the origin says that they are gone. */
function goneImages(settled: ReadonlyMap<Watched, Settled>): Vanished[] {
  const gone = [...all(settled, "removed"), ...all(settled, "removedButKept")];
  return gone.filter(({ index }) => index === "images");
}

function keepsRemoved({ config }: CrawlContext): boolean {
  return config.crawl.removals === "keep";
}

async function settle(state: Removing, lists: Lists): Promise<void> {
  const { context, before, settled } = state;
  const found = new Map<Watched, Vanished[]>();
  const believed: Vanished[] = [];
  for (const [index, walked] of lists.walked) {
    if (index === "images") state.publicImages = new Set(walked.refs.map(({ id }) => id));
    const vanished = findVanished(context, before, index, walked);
    const proved = lists.proofs.get(index)?.agreed === true;
    if (proved) believed.push(...vanished);
    found.set(index, vanished);
    settled.set(index, nothingSettled(proved ? vanished : []));
  }
  const absent = all(settled, "absent");
  brake(
    context,
    before,
    absent.filter((item) => !wasRemoved(before, item)),
  );
  await eachLimited(believed, context.config.crawl.concurrency, (item) =>
    findOut(state, item, lists),
  );
  for (const [index, vanished] of found) settleIndex(state, lists, index, vanished);
  lists.walked.clear();
}

function wasRemoved(before: readonly SnapshotReader[], { index, id }: Vanished): boolean {
  return before.some(
    (snapshot) => snapshot.digestOf("removed", listedName(index, id)) !== undefined,
  );
}

async function findOut(
  { context, before, findings }: Removing,
  item: Vanished,
  lists: Lists,
): Promise<void> {
  const { draft } = context;
  const name = listedName(item.index, item.id);
  if (findings.has(name)) return;
  const known = keepsRemoved(context) && wasRemoved(before, item);
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

/** Sorts what vanished from one index, and saves the index with what stays of it. */
function settleIndex(
  { context, before, findings, settled }: Removing,
  lists: Lists,
  index: Watched,
  vanished: readonly Vanished[],
): void {
  const keeps = keepsRemoved(context);
  const walked = lists.walked.get(index) as PagedList;
  const result = nothingSettled(settled.get(index)?.absent ?? []);
  const kept: Ref[] = [];
  const frozen = new Set<string>();
  for (const item of vanished) {
    const { id, digest } = item;
    const fate = findings.get(listedName(index, id))?.fate;
    if (fate === "gone") (keeps ? result.removedButKept : result.removed).push(item);
    if (fate === "gone" && !keeps) continue;
    if (index === "images" && fate !== "gone") {
      if (fate !== undefined) result.leftIndex.push({ id, digest });
      if (keeps || fate !== "there") result.unproved.push({ id, digest });
      continue;
    }
    kept.push({ id, digest });
    if (fate !== "there") frozen.add(id);
  }
  settled.set(index, result);
  if (index !== "images") lists.kept[index] = frozen;
  if (kept.length === 0) return;
  const refs = putBack(before, index, walked.refs, kept);
  const { malformed, total, ...list } = resized(walked, refs);
  lists.saved[index] = context.store.snapshots.saveList(list);
}

function tombstonesOf(
  { context, before, settled }: Removing,
  isListed: (name: string) => boolean,
): Ref[] {
  const refs: Ref[] = [];
  for (const ref of before[0]?.refs("tombstones") ?? []) if (!isListed(ref.id)) refs.push(ref);
  const known = new Set(refs.map(({ id }) => id));
  for (const item of all(settled, "removed")) {
    const name = listedName(item.index, item.id);
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

/** The images that had left the index at the last snapshot, also where that was of another address of the origin. */
function* leftBefore({ store }: CrawlContext): Generator<Ref> {
  const latest = store.snapshots.latest();
  if (latest !== undefined) yield* store.reader(latest).refs("images.left");
}

/** What snapshots have and the origin lists no more, without what has a tombstone already, or had become private. */
function findVanished(
  { store, config }: CrawlContext,
  before: readonly SnapshotReader[],
  index: Watched,
  { refs }: PagedList,
): Vanished[] {
  const [last] = before;
  // What was taken for private must not come back as removed, out of an older snapshot.
  const hadLeft = (id: string): boolean =>
    config.crawl.removals === "keep" && last?.digestOf("images.left", id) !== undefined;
  const present = new Set(refs.map(({ id }) => id));
  const vanished = new Map<string, Vanished>();
  for (const snapshot of before) {
    for (const ref of snapshot.refs(index)) {
      if (present.has(ref.id) || vanished.has(ref.id) || !store.objects.has(ref.digest)) continue;
      if (last?.digestOf("tombstones", listedName(index, ref.id)) !== undefined) continue;
      if (snapshot !== last && index === "images" && hadLeft(ref.id)) continue;
      vanished.set(ref.id, { ...ref, index });
    }
  }
  return [...vanished.values()];
}

/** Refs with items put back, each behind the one that it followed in the snapshot where it was found. */
function putBack(
  before: readonly SnapshotReader[],
  index: Watched,
  refs: readonly Ref[],
  kept: readonly Ref[],
): Ref[] {
  const wanted = new Set([...refs, ...kept].map(({ id }) => id));
  let result = [...refs];
  for (const snapshot of before) {
    const known = [...snapshot.refs(index)].filter(({ id }) => wanted.has(id));
    result = withVanished(known, result);
  }
  return result;
}

/** A list with other items, its pages as the origin would write them. */
function resized(list: PagedList, refs: Ref[]): PagedList {
  if (refs.length === list.refs.length) return list;
  const { envelope, perPage } = list;
  const total = refs.length;
  const count = Math.min(total, perPage);
  const model = envelope && envelopeForPage(envelope, { page: 1, perPage, total, count });
  return { ...list, refs, total, envelope: model, overrides: {} };
}

import { envelopeForPage } from "../api/envelope.ts";
import { GuardError } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import type { Problem } from "../lib/reporter.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Tombstone } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import { addProblem, type CrawlContext } from "./context.ts";
import { isGone, itemFailureOf } from "./failures.ts";
import type { Lists } from "./lists.ts";
import type { PagedList } from "./pages.ts";
import { mayVanish, vanishedHint, type Watched, watched, withVanished } from "./plan.ts";

/** An item of an earlier snapshot that the origin lists no more. */
interface Vanished extends Ref {
  index: Watched;
}

/**
 * What the origin says of an item that it lists no more: that it is gone; that it is still there, which for an image
 * means that it became private; or nothing that can be believed.
 */
type Fate = "gone" | "there" | "unknown";

/** What the answer was, and what it gives to complain about. */
interface Finding {
  fate: Fate;
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

const nothing: Settled = {
  absent: [],
  removed: [],
  removedButKept: [],
  unproved: [],
  leftIndex: [],
};

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

/**
 * @param before the last snapshot, and the last complete one where that is another: an item that is missing from
 * an incomplete snapshot must not be forgotten with it
 */
export function createRemovals(context: CrawlContext, before: readonly SnapshotReader[]): Removals {
  const { config, store, draft } = context;
  const keeps = config.crawl.removals === "keep";
  const findings = new Map<string, Finding>();
  const settled = new Map<Watched, Settled>();
  /** Images of the origin's index; undefined where it could not be had. */
  let publicImages: ReadonlySet<string> | undefined;
  const all = <K extends keyof Settled>(member: K): Settled[K][number][] =>
    [...settled.values()].flatMap((one): Settled[K][number][] => one[member]);

  const gone = (): Vanished[] =>
    [...all("removed"), ...all("removedButKept")].filter(({ index }) => index === "images");

  const wasRemoved = ({ index, id }: Vanished): boolean =>
    before.some((snapshot) => snapshot.digestOf("removed", listedName(index, id)) !== undefined);

  /**
   * With `removals: "keep"`, a missing image stays public only where a present one can be asked for: the path of
   * single images is not documented, and a wrong one is missing for all.
   */
  function mayBelieve(item: Vanished, { walked }: Lists): Promise<boolean> {
    if (!keeps || item.index !== "images") return Promise.resolve(true);
    const present = walked.get("images")?.refs[0];
    return draft.once(`path of images, ${draft.listing}`, async () => {
      if (present === undefined) return false;
      return (await fateOf(context, { ...present, index: "images" })).fate === "there";
    });
  }

  async function findOut(item: Vanished, lists: Lists): Promise<void> {
    const name = listedName(item.index, item.id);
    if (findings.has(name)) return;
    const known = keeps && wasRemoved(item);
    const finding: Finding = known
      ? { fate: "gone" }
      : await draft.once(`gone ${name}, ${draft.listing}`, async () => {
          if (!(await mayBelieve(item, lists))) return { fate: "unknown" };
          return fateOf(context, item);
        });
    findings.set(name, finding);
    if (finding.problem !== undefined) addProblem(context, finding.problem);
  }

  /** Sorts what vanished from one index, and saves the index with what stays of it. */
  function settleIndex(
    lists: Lists,
    index: Watched,
    walked: PagedList,
    vanished: Vanished[],
  ): void {
    const { absent = [] } = settled.get(index) ?? {};
    const result: Settled = {
      ...nothing,
      absent,
      removed: [],
      removedButKept: [],
      unproved: [],
      leftIndex: [],
    };
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
    lists.saved[index] = store.snapshots.saveList(list);
  }

  return {
    async settle(lists) {
      const found = new Map<Watched, Vanished[]>();
      const believed: Vanished[] = [];
      for (const [index, walked] of lists.walked) {
        if (index === "images") publicImages = new Set(walked.refs.map(({ id }) => id));
        const vanished = findVanished(context, before, index, walked);
        const proved = lists.proofs.get(index)?.agreed === true;
        if (proved) believed.push(...vanished);
        found.set(index, vanished);
        settled.set(index, { ...nothing, absent: proved ? vanished : [] });
      }
      brake(
        context,
        before,
        all("absent").filter((item) => !wasRemoved(item)),
      );
      await eachLimited(believed, config.crawl.concurrency, (item) => findOut(item, lists));
      for (const [index, vanished] of found) {
        settleIndex(lists, index, lists.walked.get(index) as PagedList, vanished);
      }
      lists.walked.clear();
    },
    unproved: () => all("unproved"),
    goneImages: () => new Set(gone().map(({ id }) => id)),
    removedButKept: () =>
      all("removedButKept").map(({ index, id, digest }) => ({ id: listedName(index, id), digest })),
    leftIndex(attached) {
      const refs = new Map<string, Ref>();
      for (const ref of leftBefore(context)) {
        if (publicImages?.has(ref.id) !== true) refs.set(ref.id, ref);
      }
      for (const { id, digest } of gone()) if (attached.has(id)) refs.set(id, { id, digest });
      for (const ref of all("leftIndex")) refs.set(ref.id, ref);
      return [...refs.values()];
    },
    tombstones(isListed) {
      const refs: Ref[] = [];
      for (const ref of before[0]?.refs("tombstones") ?? []) if (!isListed(ref.id)) refs.push(ref);
      const known = new Set(refs.map(({ id }) => id));
      for (const item of all("removed")) {
        const name = listedName(item.index, item.id);
        if (known.has(name)) continue;
        const normal: Tombstone = {
          index: item.index,
          id: item.id,
          title: titleOf(context, item),
          removedAt: context.stamp().toISOString(),
          last: item.digest,
        };
        const digest = store.objects.put("tombstones", name, normal, JSON.stringify(normal));
        refs.push({ id: name, digest });
      }
      return refs;
    },
  };
}

function listedName(index: Watched, id: string): string {
  return `${index}/${id}`;
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

/** Items that a message names at most. */
const maxNamed = 3;

/**
 * Stops the crawl where too much vanished at once: more than `crawl.maxRemoved` allows, or all that an index of
 * several items had.
 *
 * @throws GuardError
 */
function brake(
  context: CrawlContext,
  before: readonly SnapshotReader[],
  vanished: readonly Vanished[],
): void {
  const { maxRemoved } = context.config.crawl;
  const hint = vanishedHint;
  const total = watched.reduce((sum, index) => sum + countOf(before, index), 0);
  if (vanished.length > mayVanish(maxRemoved, total)) {
    const message = `${vanished.length} of ${total} items vanished from the origin at once`;
    throw new GuardError(`${message}: ${firstNames(context, vanished)}`, { hint });
  }
  for (const index of watched) {
    const count = countOf(before, index);
    const gone = vanished.filter((item) => item.index === index);
    if (count > 1 && gone.length >= count && maxRemoved.share < 1) {
      const message = `all ${count} ${index} vanished from the origin at once`;
      throw new GuardError(`${message}: ${firstNames(context, gone)}`, { hint });
    }
  }
}

/** The first few items by name: `articles/7f3c "Title", images/81aa "Title" and 12 more`. */
function firstNames(context: CrawlContext, vanished: readonly Vanished[]): string {
  const names = vanished.slice(0, maxNamed).map((item) => {
    const title = titleOf(context, item);
    const name = listedName(item.index, item.id);
    return title === "" ? name : `${name} ${JSON.stringify(title)}`;
  });
  const more = vanished.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function titleOf({ store }: CrawlContext, { index, digest }: Vanished): string {
  return store.objects.readNormal(index, digest).title.trim();
}

function countOf(before: readonly SnapshotReader[], index: Watched): number {
  return Math.max(0, ...before.map((snapshot) => snapshot.list(index)?.count ?? 0));
}

/** Asks for an item that is not listed any more; anything but a clear answer is a problem. */
async function fateOf(context: CrawlContext, { index, id }: Vanished): Promise<Finding> {
  const url = context.routes.urlOf({ route: "single", index, id });
  // Where single images cannot be asked for, nothing tells a deleted one from one that became private.
  if (url === undefined) return { fate: "there" };
  const subject = listedName(index, id);
  try {
    await context.client.json(url);
  } catch (thrown) {
    const error = await itemFailureOf(context, thrown);
    if (isGone(error)) return { fate: "gone" };
    // An image that is not for this token any more became private; of anything else, 403 may be a fault.
    if (index === "images" && error.status === 403) return { fate: "there" };
    const reason = `not listed any more: ${error.message}`;
    return { fate: "unknown", problem: { subject, reason } };
  }
  // An image that still answers may have become private, which removes it from the index by design.
  if (index === "images") return { fate: "there" };
  const reason = "not listed any more, but the origin still answers for it";
  const hint = "the listing may be incomplete; run again";
  return { fate: "there", problem: { subject, reason, hint } };
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

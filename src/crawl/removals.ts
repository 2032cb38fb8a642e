import { envelopeForPage } from "../api/envelope.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { largest } from "../lib/many.ts";
import type { Problem } from "../lib/reporter.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Tombstone } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import { brake } from "./brake.ts";
import { addProblem, type CrawlContext } from "./context.ts";
import { isGone, itemFailureOf } from "./failures.ts";
import type { Lists } from "./lists.ts";
import type { PagedList } from "./page.ts";
import { type Watched, watched, withVanished } from "./plan.ts";

/** An item of the last snapshot that the origin no longer lists. */
interface Vanished extends Ref {
  index: Watched;
  /** What the origin says of it; undefined where nobody asked. */
  fate?: Fate | undefined;
}

/** It is gone; it is still there, which for an image means that it became private; or nothing that can be believed. */
type Fate = "gone" | "there" | "unknown";

interface Finding {
  fate: Fate;
  problem?: Problem;
}

/** What a crawl finds out about the items that the origin no longer lists. */
export class Removals {
  readonly #context: CrawlContext;
  readonly #last: SnapshotReader | undefined;
  /** The last snapshot and the last complete one: what an incomplete one lacks must not be forgotten with it. */
  readonly #snapshots: SnapshotReader[];
  /** Whether items that are gone stay. */
  readonly #keeps: boolean;
  readonly #vanished = new Map<Watched, Vanished[]>();
  /** Images of the origin's index; undefined where it was not read. */
  #publicImages: ReadonlySet<string> | undefined;

  constructor(context: CrawlContext, last: SnapshotReader | undefined) {
    const { store, config } = context;
    const complete = store.snapshots.latestComplete();
    const others = complete?.id === last?.manifest.id ? undefined : complete;
    this.#context = context;
    this.#last = last;
    this.#snapshots = [last, others && store.reader(others)].filter((one) => one !== undefined);
    this.#keeps = config.crawl.removals === "keep";
  }

  /**
   * Puts back into the lists that were walked since the last call what stays: what the origin does not say to be gone,
   * everything where the list was not proved, and with `removals: "keep"` the rest too.
   *
   * @throws GuardError where more vanished than `crawl.maxRemoved` allows
   */
  async settle(lists: Lists): Promise<void> {
    const { walked, proofs } = lists;
    for (const [index, { refs }] of walked) {
      const present = new Set(refs.map(({ id }) => id));
      if (index === "images") this.#publicImages = present;
      this.#vanished.set(index, this.#findVanished(index, present));
    }
    // Only where a list was proved, the origin is asked what became of the items that it lacks.
    const absent = [...this.#vanished]
      .filter(([index]) => proofs.get(index)?.agreed === true)
      .flatMap(([, vanished]) => vanished);
    this.#brake(absent);
    const asked = absent.filter(({ fate }) => fate === undefined);
    const { concurrency } = this.#context.config.crawl;
    await eachLimited(asked, concurrency, (item) => this.#findOut(item, lists));
    for (const [index, list] of walked) this.#settleIndex(lists, index, list);
    walked.clear();
  }

  goneImages(): Ref[] {
    return this.#gone().filter(({ index }) => index === "images");
  }

  /** Images that stay although nothing proves any more that they are public. */
  unprovedImages(): Ref[] {
    const images = this.#imagesNotGone();
    if (!this.#keeps) return images.filter((item) => item.fate !== "there");
    return [...images, ...(this.#last?.refs("images.unlisted") ?? [])];
  }

  /**
   * Saves lists of what is kept although the origin removed it, and of what left its index or the archive.
   *
   * @param attached ids of gone images that the origin still attaches to something: they became private, and it denies
   * what the token may not see
   */
  save(lists: Lists, attached: ReadonlySet<string>): void {
    const kept = this.#keeps ? this.#gone() : [];
    const removed = kept.map((item) => ({ id: nameOf(item), digest: item.digest }));
    lists.saveSome("withdrawn", removed);
    lists.saveSome("images.retracted", this.#leftImages(attached));
    lists.saveSome("tombstones", this.#tombstones(lists));
  }

  /** What snapshots have and the origin does not list, without what has a tombstone or had become private. */
  #findVanished(index: Watched, present: ReadonlySet<string>): Vanished[] {
    const { objects } = this.#context.store;
    const last = this.#last;
    // What was taken for private must not come back as removed, out of an older snapshot.
    const hadLeft = (id: string): boolean =>
      index === "images" && this.#keeps && last?.digestOf("images.retracted", id) !== undefined;
    // What the origin said after an earlier walk still holds.
    const fates = new Map(this.#vanished.get(index)?.map(({ id, fate }) => [id, fate]));
    const vanished = new Map<string, Vanished>();
    for (const snapshot of this.#snapshots) {
      for (const ref of snapshot.refs(index)) {
        const { id } = ref;
        const item = { ...ref, index, fate: fates.get(id) };
        if (present.has(id) || vanished.has(id) || !objects.has(ref.digest)) continue;
        if (last?.digestOf("tombstones", nameOf(item)) !== undefined) continue;
        if (snapshot === last || !hadLeft(id)) vanished.set(id, item);
      }
    }
    return [...vanished.values()];
  }

  /** @throws GuardError */
  #brake(absent: readonly Vanished[]): void {
    const news = absent.filter((item) => !this.#wasRemoved(item));
    const losses = watched.map((name) => {
      const gone = news.filter(({ index }) => index === name);
      const named = gone.map((item) => {
        const title = this.#titleOf(item);
        return title === "" ? nameOf(item) : `${nameOf(item)} ${JSON.stringify(title)}`;
      });
      const counts = this.#snapshots.map((snapshot) => snapshot.list(name)?.count ?? 0);
      return { name, before: Math.max(0, largest(counts)), gone: named };
    });
    brake(this.#context.config.crawl.maxRemoved, losses);
  }

  #wasRemoved(item: Vanished): boolean {
    return this.#snapshots.some((one) => one.digestOf("withdrawn", nameOf(item)) !== undefined);
  }

  async #findOut(item: Vanished, lists: Lists): Promise<void> {
    const { draft } = this.#context;
    const ask = async (): Promise<Finding> => {
      const mayStay = this.#keeps && item.index === "images";
      if (mayStay && !(await this.#answersForImages(lists))) return { fate: "unknown" };
      return findingOf(this.#context, item);
    };
    const { fate, problem }: Finding =
      this.#keeps && this.#wasRemoved(item)
        ? { fate: "gone" }
        : await draft.once(`gone ${nameOf(item)}, ${draft.listing}`, ask);
    item.fate = fate;
    if (problem !== undefined) addProblem(this.#context, problem);
  }

  /**
   * Whether a present image can be asked for, so that a missing one may stay public with `removals: "keep"`: the path
   * of single images is not documented, and a wrong one is missing for all.
   */
  #answersForImages({ walked }: Lists): Promise<boolean> {
    const { draft } = this.#context;
    const present = walked.get("images")?.refs[0];
    return draft.once(`path of images, ${draft.listing}`, async () => {
      if (present === undefined) return false;
      return (await findingOf(this.#context, { id: present.id, index: "images" })).fate === "there";
    });
  }

  /** Saves an index with what stays of the items that vanished from it. */
  #settleIndex(lists: Lists, index: Watched, walked: PagedList): void {
    const staying = (this.#vanished.get(index) ?? []).filter((item) =>
      item.fate === "gone" ? this.#keeps : index !== "images",
    );
    if (index !== "images") {
      // The others are asked for as usual.
      const frozen = staying.filter((item) => item.fate !== "there");
      lists.frozen[index] = new Set(frozen.map(({ id }) => id));
    }
    if (staying.length === 0) return;
    const ids = new Set([...walked.refs, ...staying].map(({ id }) => id));
    let refs = walked.refs;
    for (const snapshot of this.#snapshots) {
      const before = [...snapshot.refs(index)].filter(({ id }) => ids.has(id));
      refs = withVanished(before, refs);
    }
    // Its pages are those that the origin would write.
    const { envelope, perPage } = walked;
    const total = refs.length;
    const count = Math.min(total, perPage);
    const model = envelope && envelopeForPage(envelope, { page: 1, perPage, total, count });
    const list = { refs, perPage, envelope: model, overrides: {} };
    lists.saved[index] = this.#context.store.snapshots.saveList(list);
  }

  #gone(): Vanished[] {
    return [...this.#vanished.values()].flat().filter(({ fate }) => fate === "gone");
  }

  /** Images that vanished from their index, and of which the origin does not say that they are gone. */
  #imagesNotGone(): Vanished[] {
    return (this.#vanished.get("images") ?? []).filter(({ fate }) => fate !== "gone");
  }

  /** The list `images.retracted`: they left the index as images do that become private, now or on an earlier night. */
  #leftImages(attached: ReadonlySet<string>): Ref[] {
    const refs = new Map<string, Ref>();
    for (const ref of this.#last?.refs("images.retracted") ?? []) {
      if (this.#publicImages?.has(ref.id) !== true) refs.set(ref.id, ref);
    }
    const denied = this.goneImages().filter(({ id }) => attached.has(id));
    const left = this.#imagesNotGone().filter((item) => item.fate !== undefined);
    for (const { id, digest } of [...denied, ...left]) refs.set(id, { id, digest });
    return [...refs.values()];
  }

  /** The tombstones of the last snapshot whose items did not come back, and new ones. */
  #tombstones(lists: Lists): Ref[] {
    const { store, stamp } = this.#context;
    const listed = new Set(
      watched.flatMap((index) => lists.refs(index).map(({ id }) => nameOf({ index, id }))),
    );
    const refs = [...(this.#last?.refs("tombstones") ?? [])].filter(({ id }) => !listed.has(id));
    for (const item of this.#keeps ? [] : this.#gone()) {
      const { index, id, digest: last } = item;
      const removedAt = stamp().toISOString();
      const normal: Tombstone = { index, id, title: this.#titleOf(item), removedAt, last };
      const name = nameOf(item);
      const digest = store.objects.put("tombstones", name, normal, JSON.stringify(normal));
      refs.push({ id: name, digest });
    }
    return refs;
  }

  /** Title of an item as it was listed last. */
  #titleOf({ index, digest }: Vanished): string {
    return this.#context.store.objects.readNormal(index, digest).title.trim();
  }
}

/** Name of an item in messages and lists: `articles/7f3c`. */
function nameOf({ index, id }: { index: Watched; id: string }): string {
  return `${index}/${id}`;
}

/** Asks for an item that is no longer listed; anything but a clear answer is a problem. */
async function findingOf(
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
    const reason = `no longer listed: ${error.message}`;
    return { fate: "unknown", problem: { subject, reason } };
  }
  if (index === "images") return { fate: "there" };
  const reason = "no longer listed, but the origin still answers for it";
  const hint = "the listing may be incomplete; run again";
  return { fate: "there", problem: { subject, reason, hint } };
}

import { ApiError } from "../errors.ts";
import type { Problem } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { mediaKinds, type Parent, parents } from "../routes/table.ts";
import type { ListName } from "../store/list-names.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { ListManifest, ListProof, Ref } from "../store/snapshots.ts";
import { brake } from "./brake.ts";
import { addProblem, addRemark, type CrawlContext } from "./context.ts";
import { isAway, isRefusal, itemFailureOf, refusedTwice } from "./failures.ts";
import { type IndexWalk, noPages, startWalk, urlOfPage, type WalkedName } from "./index-walk.ts";
import type { PagedList } from "./page.ts";
import { isWatched, type Watched } from "./plan.ts";
import { tellUnread } from "./unread.ts";

interface OpenWalk {
  walk: IndexWalk;
  /** Whether the origin has refused the list once, which may be a fault of the moment. */
  refused: boolean;
  /** Saves the list, or says why there is none. */
  settle: () => void;
}

/** The lists of the snapshot in the making. */
export class Lists {
  readonly previous: SnapshotReader | undefined;
  readonly saved: Partial<Record<ListName, ListManifest>> = {};
  /** By the name of what they prove, in the order of the report. */
  readonly proofs = new Map<string, ListProof>();
  /** As their walks found them, until it is decided what became of the items that they no longer have. */
  readonly walked = new Map<Watched, PagedList>();
  /** Ids of the articles or galleries that stay as they were, because the origin no longer lists them. */
  readonly frozen: Record<Parent, ReadonlySet<string>> = {
    articles: new Set(),
    galleries: new Set(),
  };
  readonly #context: CrawlContext;
  /** Of the image index, to be told when it is known how many pictures that concerns. */
  #refusedImages: Problem | undefined;

  constructor(context: CrawlContext, previous: SnapshotReader | undefined) {
    this.#context = context;
    this.previous = previous;
  }

  /** The refs of a saved list; none where there is no such list. */
  refs(name: ListName): Ref[] {
    const list = this.saved[name];
    return list === undefined ? [] : [...this.#context.store.snapshots.refs(list)];
  }

  listed(parent: Parent): Ref[] {
    return this.refs(parent).filter(({ id }) => !this.frozen[parent].has(id));
  }

  /** Saves a list that has no pages. */
  save(name: ListName, refs: readonly Ref[]): void {
    this.saved[name] = this.#context.store.snapshots.saveList({ ...noPages, refs });
  }

  /** The same unless it is empty. */
  saveSome(name: ListName, refs: readonly Ref[]): void {
    if (refs.length > 0) this.save(name, refs);
  }

  /** Walks all indexes, the categories and the tags. @throws GuardError where too much has vanished */
  async walk(): Promise<void> {
    const names: WalkedName[] = [...parents, ...mediaKinds];
    if (this.#context.config.crawl.privateImages === "include") names.push("images.private");
    names.push("categories", "tags");
    const there = names.filter((name) => urlOfPage(this.#context, name, 1) !== undefined);
    await this.walkInTurns(there, 1);
  }

  /** Says of an image index that was refused what it would mean to do without it. */
  tellRefusedImages(attached: number): void {
    if (this.#refusedImages === undefined) return;
    const { hint, ...problem } = this.#refusedImages;
    const pictures = plural(attached, "attached image");
    const without = `without that index nothing proves that ${pictures} are public, and media.unproved decides whether they are published`;
    addProblem(this.#context, { ...problem, hint: `${hint}; ${without}` });
  }

  /**
   * Makes one pass over each list in its turn, until none needs another, and then saves them in their order. A list
   * rests while the others have their pass, so that it does not meet a fault of the moment twice.
   *
   * @param number counts the walks of these lists
   */
  async walkInTurns(names: readonly WalkedName[], number: number): Promise<void> {
    const walks = names.map((name): OpenWalk => {
      const walk = startWalk(this.#context, this.previous, name, number);
      return { walk, refused: false, settle: () => this.#save(walk) };
    });
    for (let open = walks; open.length > 0; ) {
      const again: OpenWalk[] = [];
      for (const one of open) if (await this.#pass(one)) again.push(one);
      open = again;
    }
    for (const { settle } of walks) settle();
  }

  /**
   * Makes one pass. An optional list counts as absent if the origin refuses it twice, or once where the last snapshot
   * lacks it, unless that snapshot has items of it. Every other failure is a gap, in which the last snapshot's list
   * stays. Without the articles the crawl ends.
   *
   * @returns whether the list needs another pass
   * @throws ApiError when the token is refused, the origin stopped answering, or there is no article index
   */
  async #pass(open: OpenWalk): Promise<boolean> {
    const { walk } = open;
    const { name } = walk;
    const { patience, reporter } = this.#context;
    try {
      const again = await (name === "articles" ? refusedTwice(() => walk.pass()) : walk.pass());
      patience.answered();
      return again;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isAway(error) && (await patience.failed(error)) === "back") return true;
      if (name === "articles") throw error;
      await itemFailureOf(this.#context, error);
      const wasAbsent = this.previous !== undefined && this.previous.list(name) === undefined;
      if (isRefusal(error) && !wasAbsent && !open.refused) {
        open.refused = true;
        return true;
      }
      if (isRefusal(error) && this.#isOptional(name) && !this.#isExpected(name)) {
        patience.answered();
        const text = `this origin has no ${labelOf(name)}: ${error.message}`;
        open.settle = () => reporter.warn(text, `set ${settingWithout(name)} if that is right`);
        return false;
      }
      open.settle = () => this.#leaveGap(name, error);
      return false;
    }
  }

  /** @throws GuardError where too much has vanished */
  #save(walk: IndexWalk): void {
    const { name } = walk;
    const { list, proof, remarks } = walk.result();
    let { refs } = list;
    for (const problem of list.malformed) addProblem(this.#context, problem);
    for (const remark of remarks) addRemark(this.#context, remark);
    const before = this.previous?.list(name) && this.previous.manifest;
    tellUnread(this.#context, labelOf(name), list, before);
    if (name === "images.private") {
      const listed = new Set(this.refs("images").map(({ id }) => id));
      refs = refs.filter(({ id }) => !listed.has(id));
    } else if (isWatched(name)) this.walked.set(name, list);
    else this.#brake(name, refs);
    this.saved[name] = this.#context.store.snapshots.saveList({ ...list, refs });
    this.proofs.set(name, proof);
  }

  /** The brake of a list whose items cannot be asked for one by one. @throws GuardError */
  #brake(name: ListName, refs: readonly Ref[]): void {
    const present = new Set(refs.map(({ id }) => id));
    const before = [...(this.previous?.refs(name) ?? [])];
    const gone = before.filter(({ id }) => !present.has(id)).map(({ id }) => `${name}/${id}`);
    brake(this.#context.config.crawl.maxRemoved, [{ name, before: before.length, gone }]);
  }

  #leaveGap(name: WalkedName, error: ApiError): void {
    const before = this.previous?.list(name);
    const list = this.saved[name] ?? before;
    if (list !== undefined) this.saved[name] = list;
    const counts = { collected: list?.count ?? 0, expected: null, pages: 0, passes: 0 };
    this.proofs.set(name, { list: name, ...counts, agreed: false, remark: error.message });
    const isExpected = this.#isExpected(name);
    const kept =
      before === undefined ? "" : ` (kept the ${before.count} items of the last snapshot)`;
    const when = isExpected ? "if it is gone for good" : "if this token has none";
    const hint = isRefusal(error) ? `set ${settingWithout(name)} ${when}` : error.hint;
    const problem = { subject: labelOf(name), reason: `${error.message}${kept}`, hint };
    if (name === "images" && isRefusal(error) && !isExpected) this.#refusedImages = problem;
    else addProblem(this.#context, problem);
  }

  /** Whether the last snapshot has items of a list. */
  #isExpected(name: ListName): boolean {
    return (this.previous?.list(name)?.count ?? 0) > 0;
  }

  /** Whether an origin need not have a list: the document does not show its path, or it is not for every token. */
  #isOptional(name: ListName): boolean {
    const { tokenKind } = this.#context.config.origin;
    if (name === "images.private") return tokenKind !== "organisation";
    return name === "videos" || name === "documents" || name === "audio";
  }
}

function labelOf(name: ListName): string {
  return `index of ${name === "images.private" ? "private images" : name}`;
}

/** How the configuration says that there is no such list, at this origin or for this token. */
function settingWithout(name: ListName): string {
  return name === "images.private"
    ? 'crawl.privateImages: "exclude"'
    : `origin.paths.${name}: null`;
}

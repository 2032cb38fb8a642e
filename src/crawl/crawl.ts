import type { ApiClient } from "../api/client.ts";
import type { LinkBook } from "../api/links.ts";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import type { Problem, Reporter } from "../lib/reporter.ts";
import { silent } from "../lib/reporter.ts";
import { type MediaKind, mediaKinds, type Parent, parents, type Routes } from "../routes/table.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { attachmentsId } from "../store/records.ts";
import type {
  ListManifest,
  ListName,
  ListProof,
  Ref,
  SnapshotManifest,
} from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { addProblem, type CrawlContext, isItemFailure } from "./context.ts";
import { openDraft } from "./draft.ts";
import { walkIndex } from "./index-walk.ts";
import { ingestList, keepable } from "./ingest.ts";
import { crawlItems, type Items, type KnownItems } from "./items.ts";
import { checkRemovals } from "./removals.ts";

export interface CrawlInput {
  config: Config;
  store: Store;
  client: ApiClient;
  routes: Routes;
  /** Gets the signed links of everything that is listed. */
  links: LinkBook;
  reporter?: Reporter;
  now?: () => Date;
}

export interface CrawlResult {
  manifest: SnapshotManifest;
  /** False where the origin says the same as at the last snapshot, which then stays the latest. */
  changed: boolean;
  problems: Problem[];
}

/**
 * Reads everything the token can see and commits it as a snapshot: complete when every list proved itself and no
 * more than `maxProblems` items are missing. Goes on where an interrupted crawl stopped.
 *
 * @throws ApiError when the origin refuses the token, is gone, or has no article index
 * @throws GuardError when more items vanished at once than `maxRemoved` allows
 */
export async function runCrawl(input: CrawlInput): Promise<CrawlResult> {
  const { config, store, reporter = silent, now = () => new Date() } = input;
  const settings = [
    config.origin.baseUrl,
    config.origin.paths,
    config.origin.bodyField,
    config.crawl,
  ];
  const draft = openDraft(
    `${store.folder}/draft`,
    keyOf(JSON.stringify(settings)),
    now().getTime(),
    () => store.objects.sync(),
  );
  if (draft.resumed > 0) {
    reporter.info(`going on with an interrupted crawl: ${draft.resumed} tasks are done`);
  }
  const context: CrawlContext = { ...input, reporter, draft, problems: [] };
  try {
    const lists = await crawlLists(context);
    store.sync();
    const complete =
      lists.proof.every((proof) => proof.agreed) &&
      context.problems.length <= config.crawl.maxProblems;
    const result = store.snapshots.commit({
      time: now().toISOString(),
      origin: config.origin.baseUrl,
      complete,
      lists: lists.manifests,
      proof: lists.proof,
      problems: context.problems,
    });
    draft.discard();
    return { ...result, problems: context.problems };
  } catch (error) {
    draft.sync();
    draft.close();
    throw error;
  }
}

interface Lists {
  manifests: Record<string, ListManifest>;
  proof: ListProof[];
}

async function crawlLists(context: CrawlContext): Promise<Lists> {
  const { store, config } = context;
  const latest = store.snapshots.latest();
  const previous = latest?.origin === config.origin.baseUrl ? store.reader(latest) : undefined;
  const manifests: Record<string, ListManifest> = {};
  const proof: ListProof[] = [];
  const indexed = new Map<ListName, Ref[]>();

  for (const index of ["articles", "galleries", ...mediaKinds] as const) {
    const first = context.routes.urlOf({ route: "index", index, page: 1 });
    if (first === undefined) continue;
    const optional = index === "videos" || index === "documents" || index === "audio";
    const walked = await orAbsent(context, index, optional, () =>
      walkIndex(
        context,
        index,
        index,
        (page) => context.routes.urlOf({ route: "index", index, page }) as string,
      ),
    );
    if (walked === undefined) continue;
    indexed.set(index, walked.list.refs);
    manifests[index] = store.snapshots.saveList(walked.list);
    proof.push(walked.proof);
  }
  if (config.crawl.privateImages === "include") {
    const { list, proof: walked } = await walkIndex(context, "images", "images.private", (page) => {
      const url = context.routes.urlOf({ route: "index", index: "images", page }) as string;
      return `${url}${url.includes("?") ? "&" : "?"}private=1`;
    });
    const listed = new Set(indexed.get("images")?.map((ref) => ref.id));
    const refs = list.refs.filter((ref) => !listed.has(ref.id));
    indexed.set("images.private", refs);
    manifests["images.private"] = store.snapshots.saveList({ ...list, refs });
    proof.push(walked);
  }
  for (const index of ["categories", "tags"] as const) {
    const refs = await orAbsent(context, index, index === "tags", () => readAll(context, index));
    if (refs === undefined) continue;
    manifests[index] = store.snapshots.saveList({ ...unpaged, refs });
  }

  const attachments: Ref[] = [];
  for (const parent of parents) {
    const index = indexed.get(parent) ?? [];
    const items = await crawlItems(context, parent, index, knownItems(previous, parent));
    manifests[`${parent}.single`] = store.snapshots.saveList({ ...unpaged, refs: items.singles });
    attachments.push(...items.attachments);
    proof.push(...itemProof(parent, index.length, items));
  }
  manifests.attachments = store.snapshots.saveList({ ...unpaged, refs: attachments });
  for (const [kind, refs] of unlisted(context, attachments, indexed)) {
    if (refs.length > 0) {
      manifests[`${kind}.unlisted`] = store.snapshots.saveList({ ...unpaged, refs });
    }
  }
  if (previous !== undefined) await checkRemovals(context, previous, indexed);
  return { manifests, proof };
}

const unpaged = { perPage: 0, envelope: null, overrides: {} };

/** A list's result; undefined where the origin has no such list, which is a problem unless it is optional. */
async function orAbsent<T>(
  context: CrawlContext,
  index: string,
  optional: boolean,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    const absent = error.status === 404 || (optional && error.status === 403);
    if (!absent || index === "articles") throw error;
    if (optional) {
      context.reporter.info(`this origin has no index of ${index} (${error.status})`);
    } else {
      addProblem(context, { subject: `index of ${index}`, reason: error.message });
    }
    return undefined;
  }
}

/** Categories or tags: all of them in one answer. */
async function readAll(context: CrawlContext, index: "categories" | "tags"): Promise<Ref[]> {
  const { refs, malformed } = await context.draft.once(`all ${index}`, async () => {
    const url = context.routes.urlOf({ route: "all", index }) as string;
    const { text, value } = await context.client.json(url);
    return ingestList(context, index, `GET /${index}`, keepable(text), value);
  });
  for (const problem of malformed) addProblem(context, problem);
  return refs;
}

function knownItems(previous: SnapshotReader | undefined, parent: Parent): KnownItems {
  if (previous === undefined) return { get: () => undefined, attachments: () => undefined };
  const digests = (list: ListName): Map<string, string> =>
    new Map([...previous.refs(list)].map((ref) => [ref.id, ref.digest]));
  const index = digests(parent);
  const singles = digests(`${parent}.single`);
  const lists = digests("attachments");
  return {
    get(id) {
      const known = { index: index.get(id), single: singles.get(id) };
      return known.index === undefined || known.single === undefined
        ? undefined
        : { index: known.index, single: known.single };
    },
    attachments(parentId, kind) {
      const id = attachmentsId(parent, parentId, kind);
      const digest = lists.get(id);
      return digest === undefined ? undefined : { id, digest };
    },
  };
}

function itemProof(parent: Parent, expected: number, items: Items): ListProof[] {
  const proofs: ListProof[] = [
    {
      list: `${parent}.single`,
      collected: items.singles.length,
      expected,
      pages: 0,
      passes: 1,
      agreed: items.missing === 0,
    },
  ];
  for (const [kind, { expected: counted, collected, missing }] of items.counts) {
    const proof = {
      list: `attachments: ${kind} of ${parent}`,
      collected,
      expected: counted,
      pages: 0,
      passes: 1,
      agreed: missing === 0,
    };
    // The lists' own totals were met; the count beside the parent may include what this token cannot see.
    const remark = "the lists give other numbers than the counts of their parents";
    proofs.push(collected === counted ? proof : { ...proof, remark });
  }
  return proofs;
}

/** Attached files that stand in no index, in the order in which they were found. */
function unlisted(
  context: CrawlContext,
  attachments: readonly Ref[],
  indexed: ReadonlyMap<ListName, Ref[]>,
): Map<MediaKind, Ref[]> {
  const found = new Map<MediaKind, Map<string, Ref>>(mediaKinds.map((kind) => [kind, new Map()]));
  const listed = new Map(
    mediaKinds.map((kind) => [kind, new Set(indexed.get(kind)?.map((ref) => ref.id))]),
  );
  for (const { id } of indexed.get("images.private") ?? []) listed.get("images")?.add(id);
  for (const ref of attachments) {
    const { kind, items } = context.store.objects.read("attachments", ref.digest).normal;
    for (const [id, digest] of items) {
      if (!listed.get(kind)?.has(id)) found.get(kind)?.set(id, { id, digest });
    }
  }
  return new Map([...found].map(([kind, refs]) => [kind, [...refs.values()]]));
}

import { join } from "node:path";
import { type Config, recheckOf } from "../config.ts";
import { GuardError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import type { Problem } from "../lib/reporter.ts";
import { recentTurns, type Turn, turnAfter } from "../lib/turns.ts";
import { mediaKinds, type Parent, parents } from "../routes/table.ts";
import { type ListName, listNames } from "../store/list-names.ts";
import { originsAfter } from "../store/origin.ts";
import { mediaListsOf, type SnapshotManifest } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { surveyAttachments } from "./attachments.ts";
import { problemOfProof } from "./completeness.ts";
import {
  addProblem,
  type CrawlContext,
  type CrawlInput,
  contextOf,
  systemTime,
} from "./context.ts";
import { openDraft, unfinishedCrawl } from "./draft.ts";
import { crawlItems, type Items, proveItems } from "./items.ts";
import { learnAnswers } from "./learn.ts";
import { Lists } from "./lists.ts";
import { recheckShare } from "./plan.ts";
import { Removals } from "./removals.ts";

export interface CrawlResult {
  manifest: SnapshotManifest;
  /** Id of the snapshot that was the latest before; null before the first. */
  before: string | null;
  /** False where the origin says the same as at the last snapshot, which then stays the latest. */
  changed: boolean;
  problems: Problem[];
  /** Of articles and galleries; undefined where an earlier run has read them. */
  read?: { asked: number; of: number };
}

/** How often an index is walked at most because items that it listed are gone. */
const maxWalks = 3;

/**
 * Reads everything the token can see and commits it as a snapshot: complete when every index proved itself and
 * there are no more than `maxProblems` problems. Goes on where an interrupted crawl stopped.
 *
 * @throws ApiError when the origin refuses the token, is gone, or has no article index
 * @throws GuardError when more items vanished at once than `maxRemoved` allows
 */
export async function runCrawl(input: CrawlInput): Promise<CrawlResult> {
  const { config, store, now = systemTime } = input;
  const { baseUrl, tokenEnv, tokenFile, paths, bodyField, mediaLink } = config.origin;
  const { privateImages } = config.crawl;
  const settings = [baseUrl, tokenEnv, tokenFile, paths, bodyField, mediaLink, privateImages];
  const draft = openDraft(draftFolder(store), {
    key: keyOf(JSON.stringify(settings)),
    now: () => now().getTime(),
    latest: store.snapshots.latest()?.id ?? null,
    objects: store.objects,
  });
  const context = contextOf(input, draft);
  if (draft.resumed > 0) {
    context.reporter.info(`resuming an interrupted crawl: ${draft.resumed} tasks are done`);
  }
  const crawled = crawlSnapshot(context, now().getTime());
  const { manifest, read, ends } = await crawled.catch((error: unknown) => {
    // What the guard refused may be a passing state of the origin: the next run shall look again.
    if (error instanceof GuardError) draft.relist();
    // A full disk stops this too; the first failure is the one to tell.
    orUndefined(() => draft.close());
    throw error;
  });
  draft.discard({ key: keyOfAll(config), snapshot: manifest.id }, ends);
  return { ...resultOf(manifest, draft.before), read };
}

/** The result of a crawl with which this run can go on: an earlier run committed it and was then interrupted. */
export function committedCrawl(input: Pick<CrawlInput, "config" | "store" | "now">) {
  const { config, store, now = systemTime } = input;
  const manifest = store.snapshots.latest();
  if (manifest === undefined) return undefined;
  const unfinished = unfinishedCrawl(draftFolder(store), {
    key: keyOfAll(config),
    now: () => now().getTime(),
    latest: manifest.id,
  });
  return unfinished && resultOf(manifest, unfinished.before);
}

/** Where the journal of a store's crawls is. */
export function draftFolder({ folder }: Pick<Store, "folder">): string {
  return join(folder, "draft");
}

/** Of all settings that change what a crawl asks for, or makes of the answers. */
function keyOfAll({ origin, crawl, mirror }: Config): string {
  return keyOf(JSON.stringify([origin, crawl, mirror]));
}

function resultOf(manifest: SnapshotManifest, before: string | null): CrawlResult {
  return { manifest, before, changed: manifest.id !== before, problems: manifest.problems };
}

/** In an order that does not depend on which answer came first. */
function inOrderOf(problems: ReadonlyMap<string, Problem>): Problem[] {
  return [...problems].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, problem]) => problem);
}

/** Commits what the origin has. The manifest is that of the snapshot that is now the latest. */
async function crawlSnapshot(context: CrawlContext, started: number) {
  const { store, config, stamp } = context;
  const latest = store.snapshots.latest();
  const lists = new Lists(context, latest && store.reader(latest));
  await lists.walk();
  const removals = new Removals(context, lists.previous);
  await removals.settle(lists);
  context.turn = turnOf(context, lists, latest, started);

  const crawled: Items[] = [];
  for (const parent of parents) {
    const items = await crawlParent(context, lists, removals, parent);
    crawled.push(items);
    lists.save(`${parent}.single`, items.singles);
  }
  const unsettled = crawled.flatMap((items) => items.unsettled);
  lists.save(
    "attachments",
    crawled.flatMap((items) => items.attachments),
  );
  lists.saveSome("unsettled", unsettled);
  const { unlisted, attached } = surveyAttachments(context, lists, removals, unsettled);
  lists.tellRefusedImages(unlisted.get("images")?.length ?? 0);
  for (const [kind, refs] of unlisted) lists.saveSome(`${kind}.unlisted`, refs);
  removals.save(lists, attached);

  const indexProofs = [...lists.proofs.values()];
  for (const proof of indexProofs) {
    // A list that was not read at all is a problem already.
    if (!proof.agreed && proof.passes > 0) addProblem(context, problemOfProof(proof));
  }
  const itemProofs = crawled.flatMap((items) => proveItems(context, lists, items));
  // Last, so that nothing waits for it and a pause that the origin asks for costs nothing else.
  const learnt = await learnAnswers(context, latest ?? {}, lists);
  const problems = inOrderOf(context.problems);
  const { untold } = context;
  if (untold > 0)
    problems.push({ subject: "further problems", reason: `${untold} are not listed` });
  // One problem may stand for many parts, as where an endpoint is missing.
  const missing = crawled.reduce((sum, items) => sum + items.missing, 0);
  const isProved = indexProofs.every(({ agreed }) => agreed);
  store.sync();
  const { manifest } = store.snapshots.commit({
    time: stamp().toISOString(),
    ...originsAfter(latest, config.origin.baseUrl),
    complete: isProved && Math.max(problems.length + untold, missing) <= config.crawl.maxProblems,
    lists: Object.fromEntries(
      listNames.flatMap((name) => (lists.saved[name] ? [[name, lists.saved[name]]] : [])),
    ),
    proof: [...indexProofs, ...itemProofs],
    problems,
    remarks: inOrderOf(context.remarks),
    ...learnt,
  });
  const read = {
    asked: crawled.reduce((sum, items) => sum + items.read, 0),
    of: crawled.reduce((sum, { parent }) => sum + lists.refs(parent).length, 0),
  };
  const { turn, draft } = context;
  const isAll = latest === undefined || config.crawl.refresh === "all";
  const ends = isAll ? [turn.to] : recentTurns([...draft.turns, turn.to]);
  return { manifest, read, ends };
}

/** What of the unchanged items fits into this crawl. */
function turnOf(
  { config, draft, client, now }: CrawlContext,
  lists: Lists,
  latest: SnapshotManifest | undefined,
  started: number,
): Turn {
  const from = draft.turns.at(-1) ?? 0;
  // The first crawl reads everything.
  if (latest === undefined) return { from, to: from };
  const items = parents.reduce((sum, parent) => sum + lists.refs(parent).length, 0);
  const countOf = (list: ListName): number => latest.lists[list]?.count ?? 0;
  const files = mediaKinds.flatMap(mediaListsOf).reduce((sum, list) => sum + countOf(list), 0);
  const each = 1 + countOf("attachments") / Math.max(items, 1);
  const { requests } = client.stats;
  // None where the lists are those of an interrupted crawl.
  const perSecond =
    requests > 0 ? requests / ((now().getTime() - started) / 1000) : Number.POSITIVE_INFINITY;
  const share = recheckShare(recheckOf(config.crawl), {
    items,
    each,
    files: config.media.originals ? files : 0,
    perSecond,
  });
  return turnAfter(from, share);
}

/** The items of an index, which is walked again where some of them are gone when they are asked for. */
async function crawlParent(
  context: CrawlContext,
  lists: Lists,
  removals: Removals,
  parent: Parent,
): Promise<Items> {
  for (let walk = 1; ; walk++) {
    const items = await crawlItems(context, lists, parent);
    if (items.gone.length === 0) return items;
    if (walk === maxWalks) {
      for (const problem of items.gone) addProblem(context, problem);
      return items;
    }
    context.reporter.info(
      `${items.gone.length} of the ${parent} are gone; reading their index again`,
    );
    await lists.walkInTurns([parent], walk + 1);
    await removals.settle(lists);
  }
}

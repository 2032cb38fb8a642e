import { eachLimited } from "../lib/concurrency.ts";
import type { Remark } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { mediaKinds, type Parent } from "../routes/table.ts";
import type { ListProof, Ref } from "../store/snapshots.ts";
import { attachmentsOf } from "./attachment-lists.ts";
import { addRemark, type CrawlContext } from "./context.ts";
import { beginItem, startItemCrawl } from "./item-crawl.ts";
import type { Lists } from "./lists.ts";
import { fetchSingle, takeSingle } from "./single-forms.ts";

/** Single forms and attachment lists of one kind of parent, in the order of its index. */
export type Items = Awaited<ReturnType<typeof crawlItems>>;

/** Reads articles or galleries in full, as far as the last snapshot lacks them. One that fails keeps its last form. */
export async function crawlItems(context: CrawlContext, lists: Lists, parent: Parent) {
  const index = lists.refs(parent);
  const progress = context.reporter.stage(`${parent} in full`, index.length);
  const crawl = startItemCrawl(context, parent, lists);
  const singles: (Ref | undefined)[] = [];
  const attachments: Ref[][] = [];
  const unsettled: (Ref | undefined)[] = [];
  let [missing, read] = [0, 0];
  await eachLimited(index.entries(), context.config.crawl.concurrency, async ([position, ref]) => {
    const item = beginItem(crawl, ref, position, lists.frozen[parent].has(ref.id));
    if (item.asked) read++;
    const single = item.asked ? await fetchSingle(crawl, item) : item.single;
    if (single === undefined && !item.frozen) missing++;
    const taken = single && takeSingle(crawl, single, position);
    singles[position] = taken?.ref;
    attachments[position] = await attachmentsOf(crawl, item, taken?.normal.attachments);
    if (!item.current) unsettled[position] = { id: `${parent}/${ref.id}`, digest: ref.digest };
    progress.advance();
  });
  progress.end();
  const { counts, bodies } = crawl;
  return {
    parent,
    singles: singles.filter((ref) => ref !== undefined),
    attachments: attachments.flat(),
    /** Items that were not read in full, as `articles/{id}` with the digest of their index form. */
    unsettled: unsettled.filter((ref) => ref !== undefined),
    /** Single forms and lists that the snapshot should have and has not. */
    missing: [...counts.values()].reduce((sum, kind) => sum + kind.missing, missing),
    /** Items that were asked for in full. */
    read,
    counts,
    bodies,
    /** Items that the index lists and the origin does not have. */
    gone: [...crawl.gone, ...crawl.endpoints.settle()],
  };
}

const maxNamed = 3;

/**
 * What is known of the completeness of the single forms and the attachment lists of one kind of parent. Remarks tell of
 * lists that were read to their end and have other numbers of items than their parents count.
 */
export function proveItems(
  context: CrawlContext,
  { saved }: Lists,
  { parent, singles, counts, bodies }: Items,
): ListProof[] {
  const once = { pages: 0, passes: 1 };
  const numbers = { collected: singles.length, expected: saved[parent]?.count ?? 0 };
  const agreed = numbers.collected === numbers.expected;
  const remark = bodies.report();
  const proofs: ListProof[] = [{ list: `${parent}.single`, ...numbers, ...once, agreed, remark }];
  for (const kind of mediaKinds) {
    const count = counts.get(kind);
    if (count === undefined) continue;
    const { missing, differing, ...sums } = count;
    const subject = `${kind} of ${parent}`;
    const list = `attachments: ${subject}`;
    const isCounted = differing.size === 0;
    const remark = isCounted ? undefined : "the lists differ from the counts of their parents";
    proofs.push({ list, ...sums, ...once, agreed: missing === 0, remark });
    if (!isCounted) addRemark(context, remarkOn(differing, subject));
  }
  return proofs;
}

function remarkOn(differing: ReadonlyMap<number, string>, subject: string): Remark {
  const named = [...differing].sort(([a], [b]) => a - b).map(([, text]) => text);
  const more = named.length > maxNamed ? ", …" : "";
  const lists = `${plural(named.length, "list")} whose number of items differs from the count`;
  const reason = `${lists}: ${named.slice(0, maxNamed).join(", ")}${more}`;
  return { subject, reason, hint: "the counts may include what this token cannot see" };
}

import type { Remark } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { mediaKinds } from "../routes/table.ts";
import type { ListProof } from "../store/snapshots.ts";
import { addRemark, type CrawlContext } from "./context.ts";
import type { Items } from "./items.ts";
import type { Lists } from "./lists.ts";

/** How many lists a remark names. */
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
  const expected = saved[parent]?.count ?? 0;
  const collected = singles.length;
  const agreed = collected === expected;
  const list = `${parent}.single`;
  const proofs: ListProof[] = [
    { list, collected, expected, ...once, agreed, remark: bodies.report() },
  ];
  for (const kind of mediaKinds) {
    const count = counts.get(kind);
    if (count === undefined) continue;
    const { collected, expected, missing, differing } = count;
    const list = `attachments: ${kind} of ${parent}`;
    const isCounted = differing.size === 0;
    const remark = isCounted ? undefined : "the lists differ from the counts of their parents";
    proofs.push({ list, collected, expected, ...once, agreed: missing === 0, remark });
    if (!isCounted) addRemark(context, remarkOn(differing, `${kind} of ${parent}`));
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

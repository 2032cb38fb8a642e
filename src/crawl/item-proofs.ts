import { plural } from "../lib/words.ts";
import { mediaKinds, type Parent } from "../routes/table.ts";
import type { ListProof } from "../store/snapshots.ts";
import { addRemark, type CrawlContext } from "./context.ts";
import type { Items } from "./items.ts";

/** What is known of the completeness of the single forms and the attachment lists of one kind of parent. */
export function proveItems(
  parent: Parent,
  expected: number,
  { singles, counts }: Items,
  remark: string | undefined,
): ListProof[] {
  const once = { pages: 0, passes: 1 };
  const collected = singles.length;
  const agreed = collected === expected;
  const single = { list: `${parent}.single`, collected, expected, ...once, agreed };
  const proofs: ListProof[] = [remark === undefined ? single : { ...single, remark }];
  for (const kind of mediaKinds) {
    const count = counts.get(kind);
    if (count === undefined) continue;
    const { collected, expected, missing, differing } = count;
    const list = `attachments: ${kind} of ${parent}`;
    const proof = { list, collected, expected, ...once, agreed: missing === 0 };
    const other = "the lists differ from the counts of their parents";
    proofs.push(differing.size === 0 ? proof : { ...proof, remark: other });
  }
  return proofs;
}

/** How many lists a remark names. */
const maxNamed = 3;

/** Tells of lists that were read to their end and have other numbers of items than their parents count. */
export function remarkOnCounts(
  context: CrawlContext,
  parent: Parent,
  counts: Items["counts"],
): void {
  for (const [kind, { differing }] of counts) {
    if (differing.size === 0) continue;
    const named = [...differing].sort(([a], [b]) => a - b).map(([, text]) => text);
    const more = named.length > maxNamed ? ", …" : "";
    const lists = `${plural(named.length, "list")} whose number of items differs from the count`;
    addRemark(context, {
      subject: `${kind} of ${parent}`,
      reason: `${lists}: ${named.slice(0, maxNamed).join(", ")}${more}`,
      hint: "the counts may include what this token cannot see",
    });
  }
}

import { type Change, fates } from "./changes.ts";
import { type ChangeCounts, count, countsText, markdownStyle, titleOf } from "./print.ts";

/** What changed, for `report.json`. */
export type ListedChanges = ReturnType<typeof listChanges>;

/** Items of each sort that are listed. */
const listed = 50;
/** Lines of `report.md`. */
const maxLines = 20;

/** @param base address or folder of the pages */
export function listChanges(changes: Iterable<Change>, base: string) {
  const counts: ChangeCounts = {};
  const items = fates.map(() => [] as (Omit<Change, "fields"> & { fields: string[] })[]);
  let total = 0;
  for (const { fields, ...change } of changes) {
    count(counts, change);
    total++;
    const same = items[fates.indexOf(change.what)] ?? [];
    if (same.length < listed) same.push({ ...change, fields: fields.map(({ name }) => name) });
  }
  return { summary: countsText(counts), total, base, items: items.flat() };
}

/** For `report.md`: all sorts of changes have their share of the lines. */
export function changeLines({ summary, total = 0, base = "", items = [] }: Partial<ListedChanges>) {
  if (summary === undefined) return [];
  const sorts = fates.map((what) => items.filter((item) => item.what === what));
  const share = Math.floor(maxLines / sorts.filter((same) => same.length > 0).length);
  const shown = sorts.flatMap((same) => same.slice(0, share));
  const lines = shown.map((item) => {
    const fields = item.fields.length > 0 ? `: ${item.fields.join(", ")}` : "";
    return `- ${item.what}: ${titleOf(item, markdownStyle, base)}${markdownStyle.plain(fields)}`;
  });
  const others = total - shown.length;
  const more = others > 0 ? ["", `… and ${others} more: \`npx stillpress diff\``] : [];
  return [`${summary}.`, ...(lines.length > 0 ? ["", ...lines] : []), ...more];
}

import { markdown, type Tag, terminal, type Written } from "../lib/foreign.ts";
import { urlPath } from "../routes/site.ts";
import { type Change, type ChangeKind, changeKinds, fates } from "./changes.ts";
import type { Field } from "./fields.ts";

const listed = 50;
/** Lines of `report.md`. */
const maxLines = 20;

/** How a form of output writes texts of the origin, and titles with links to the archive, then to the origin. */
type Style = ReturnType<typeof textStyle>;

/** For a terminal, or for a file if without colours. */
export function textStyle(color: boolean) {
  return {
    write: terminal as Tag,
    removed: (text: string) => (color ? terminal.colored(text, 31) : terminal`[-${text}-]`),
    added: (text: string) => (color ? terminal.colored(text, 32) : terminal`{+${text}+}`),
    title: (text: string, links: string[]): [Written, ...Written[]] => [
      terminal`${text}`,
      ...links.map((link) => terminal`    ${link}`),
    ],
  };
}

export const markdownStyle: Style = {
  write: markdown,
  removed: (text) => markdown.marked(text, "~~"),
  added: (text) => markdown.marked(text, "**"),
  title(text, [first, origin]) {
    const title = first === undefined ? markdown`${text}` : markdown.link(text, first);
    return [origin === undefined ? title : markdown`${title} (${markdown.link("origin", origin)})`];
  },
};

/** @param base address or folder of the pages in the archive */
function titleOf(
  { title, page, view }: Pick<Change, "title" | "page" | "view">,
  style: Style,
  base: string,
): [Written, ...Written[]] {
  const links: string[] = [];
  if (page !== null) {
    const path = /^https?:/i.test(base) ? urlPath(page) : page;
    links.push(`${base.replace(/\/$/, "")}/${path}`);
  }
  if (view !== null && /^https?:\/\//i.test(view)) links.push(view);
  return style.title(title, links);
}

/** A change in lines: what became of the item, why, and below it what of it changed. */
export function linesOf(change: Change, style: Style, base: string): Written[] {
  const { what, reason, fields } = change;
  const { write } = style;
  const [title, ...links] = titleOf(change, style, base);
  const details = fields.map((field) => write`${field.name}: ${fieldText(field, style)}`);
  if (reason !== undefined) details.unshift(write`${reason}`);
  return [write`- ${what}: ${title}`, ...links, ...details.map((text) => write`  - ${text}`)];
}

function fieldText(field: Field, { write, removed, added }: Style): Written {
  const { words = [], note, before, after } = field;
  const style = { "=": (text: string) => write`${text}`, "-": removed, "+": added };
  const pieces = words.map(({ sign, text }) => style[sign](text));
  if (pieces.length > 0) return pieces.reduce((left, piece) => write`${left}${piece}`);
  const parts = [...(field.removed ?? []).map(removed), ...(field.added ?? []).map(added)];
  if (note !== undefined) parts.push(write`${note}`);
  if (parts.length > 0) return parts.reduce((left, part) => write`${left}, ${part}`);
  return write`${before ?? "nothing"} → ${after ?? "nothing"}`;
}

export type ChangeCounts = Partial<Record<ChangeKind, Partial<Record<Change["what"], number>>>>;

export function count(counts: ChangeCounts, { kind, what }: Pick<Change, "kind" | "what">): void {
  counts[kind] = { ...counts[kind], [what]: (counts[kind]?.[what] ?? 0) + 1 };
}

/** `articles: 3 new, 1 removed; images: 1 withdrawn`; "nothing changed" without counts. */
export function countsText(counts: ChangeCounts): string {
  const parts = changeKinds.flatMap((kind) => {
    const told = fates.filter((what) => counts[kind]?.[what]);
    const texts = told.map((what) => `${counts[kind]?.[what]} ${what}`);
    return texts.length === 0 ? [] : [`${kind}: ${texts.join(", ")}`];
  });
  return parts.join("; ") || "nothing changed";
}

/** What changed, for `report.json`. */
export type ListedChanges = ReturnType<typeof listChanges>;

/** Counts changes, and keeps the first ones of each fate. */
export function gather(changes: Iterable<Change>, most: number) {
  const counts: ChangeCounts = {};
  const kept = fates.map((): Change[] => []);
  let total = 0;
  for (const change of changes) {
    count(counts, change);
    total++;
    const same = kept[fates.indexOf(change.what)] ?? [];
    if (same.length < most) same.push(change);
  }
  return { counts, total, kept };
}

/** @param base address or folder of the pages */
export function listChanges(changes: Iterable<Change>, base: string) {
  const { counts, total, kept } = gather(changes, listed);
  const items = kept.flat().map(({ fields, ...change }) => {
    return { ...change, fields: fields.map(({ name }) => name) };
  });
  return { summary: countsText(counts), total, base, items };
}

/** For `report.md`: all sorts of changes have their share of the lines. What is private now has no name there. */
export function changeLines(changes: Partial<ListedChanges>): Written[] {
  const { summary, total = 0, base = "", items = [] } = changes;
  if (summary === undefined) return [];
  const sorts = fates.map((what) => items.filter((item) => item.what === what));
  const share = Math.floor(maxLines / sorts.filter((same) => same.length > 0).length);
  const shown = sorts.flatMap((same) => same.slice(0, share));
  const lines = shown.map((item) => {
    const fields = item.fields.length > 0 ? `: ${item.fields.join(", ")}` : "";
    const isPrivate = item.what === "withdrawn";
    const name = isPrivate ? "an image" : titleOf(item, markdownStyle, base)[0];
    return markdown`- ${item.what}: ${name}${fields}`;
  });
  const others = total - shown.length;
  const empty = markdown``;
  const more = others > 0 ? [empty, markdown`… and ${others} more: \`npx stillpress diff\``] : [];
  return [markdown`${summary}.`, ...(lines.length > 0 ? [empty, ...lines] : []), ...more];
}

import { urlPath } from "../routes/site.ts";
import { type Change, type ChangeKind, changeKinds, fates } from "./changes.ts";
import type { Field } from "./fields.ts";

/** Items of each sort that are listed. */
const listed = 50;
/** Lines of `report.md`. */
const maxLines = 20;

/** How a form of output writes texts of the origin, and titles with links to the archive, then to the origin. */
type Style = ReturnType<typeof textStyle>;

/** On one line, without what could steer a terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, " ");
}

/** For a terminal, or for a file if without colours. */
export function textStyle(color: boolean) {
  const between = (start: string, end: string) => (text: string) => start + oneLine(text) + end;
  return {
    plain: oneLine,
    removed: color ? between("\x1b[31m", "\x1b[0m") : between("[-", "-]"),
    added: color ? between("\x1b[32m", "\x1b[0m") : between("{+", "+}"),
    title: (text: string, links: string[]) => [text, ...links].map(oneLine).join("\n    "),
  };
}

/** Of a text that means nothing to Markdown; spaces stand outside of the marks. */
const marked = (mark: string) => (text: string) =>
  oneLine(text)
    .replace(/[\\`*_[\]<>|#~&!@]/g, "\\$&")
    .replace(/^( ?)(.*?)( ?)$/, `$1${mark}$2${mark}$3`);

export const markdownStyle: Style = {
  plain: marked(""),
  removed: marked("~~"),
  added: marked("**"),
  title(text, [first, origin]) {
    const link = (name: string, url: string): string =>
      `[${name}](${url.replace(/[\s()<>\\|]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)})`;
    const title = first === undefined ? marked("")(text) : link(marked("")(text), first);
    return origin === undefined ? title : `${title} (${link("origin", origin)})`;
  },
};

/** @param base address or folder of the pages in the archive */
function titleOf(
  { title, page, view }: Pick<Change, "title" | "page" | "view">,
  style: Style,
  base: string,
): string {
  const links: string[] = [];
  if (page !== null) {
    const path = /^https?:/i.test(base) ? urlPath(page) : page;
    links.push(`${base.replace(/\/$/, "")}/${path}`);
  }
  if (view !== null && /^https?:\/\//i.test(view)) links.push(view);
  return style.title(title, links);
}

/** A change in lines: what became of the item, why, and below it what of it changed. */
export function linesOf(change: Change, style: Style, base: string): string[] {
  const { what, reason, fields } = change;
  const details = fields.map((field) => `${style.plain(field.name)}: ${fieldText(field, style)}`);
  if (reason !== undefined) details.unshift(reason);
  return [`- ${what}: ${titleOf(change, style, base)}`, ...details.map((text) => `  - ${text}`)];
}

function fieldText(field: Field, { plain, removed, added }: Style): string {
  const { words = [], note, before, after } = field;
  const style = { "=": plain, "-": removed, "+": added };
  if (words.length > 0) return words.map(({ sign, text }) => style[sign](text)).join("");
  const parts = [...(field.removed ?? []).map(removed), ...(field.added ?? []).map(added)];
  if (note !== undefined) parts.push(note);
  if (parts.length > 0) return parts.join(", ");
  return [before, after].map((value) => plain(String(value ?? "nothing"))).join(" → ");
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

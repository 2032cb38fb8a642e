import { type Change, type ChangeKind, changeKinds, fates } from "./changes.ts";
import type { Field } from "./fields.ts";

/** How a form of output writes texts of the origin and what became of an item. */
export interface Style {
  plain(text: string): string;
  removed(text: string): string;
  added(text: string): string;
  /** The title with its links: the page in the archive and the one at the origin, where there are. */
  title(text: string, page: string | undefined, view: string | undefined): string;
  what(what: Change["what"]): string;
}

/** On one line, without what could steer a terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, " ");
}

const colors = { new: 32, removed: 31, withdrawn: 31, changed: 33, "media changed": 33 };

/** For a terminal, or for a file if without colours. */
export function textStyle(color: boolean): Style {
  const paint = (code: number, text: string): string => `\x1b[${code}m${text}\x1b[0m`;
  return {
    plain: oneLine,
    removed: (text) => (color ? paint(31, oneLine(text)) : `[-${oneLine(text)}-]`),
    added: (text) => (color ? paint(32, oneLine(text)) : `{+${oneLine(text)}+}`),
    title: (text, ...urls) =>
      [text, ...urls.filter((url) => url !== undefined)].map(oneLine).join("\n    "),
    what: (what) => (color ? paint(colors[what], what) : what),
  };
}

export const markdownStyle: Style = {
  plain: escaped,
  removed: (text) => around("~~", text),
  added: (text) => around("**", text),
  title(text, page, view) {
    const url = page ?? view;
    const link = url === undefined ? escaped(text) : `[${escaped(text)}](${target(url)})`;
    return page === undefined || view === undefined ? link : `${link} ([origin](${target(view)}))`;
  },
  what: (what) => what,
};

/** A text that means nothing to Markdown. */
function escaped(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>|#~&!@]/g, "\\$&");
}

/** Spaces stand outside of the marks, where Markdown wants them. */
function around(mark: string, text: string): string {
  return escaped(text).replace(/^( ?)(.*?)( ?)$/, `$1${mark}$2${mark}$3`);
}

function target(url: string): string {
  return url.replace(/[\s()<>\\|]/g, encodeURIComponent).replace(/[()]/g, "");
}

/** @param base address or folder of the pages in the archive */
export function titleOf(
  { title, page, view }: Pick<Change, "title" | "page" | "view">,
  style: Style,
  base: string,
): string {
  const isUrl = view !== null && /^https?:\/\//i.test(view);
  return style.title(
    title,
    page === null ? undefined : `${base.replace(/\/$/, "")}/${page}`,
    isUrl ? view : undefined,
  );
}

/** A change in lines: what became of the item, why, and below it what of it changed. */
export function linesOf(change: Change, style: Style, base: string): string[] {
  const { what, reason, fields } = change;
  return [
    `- ${style.what(what)}: ${titleOf(change, style, base)}`,
    ...(reason === undefined ? [] : [`  - ${reason}`]),
    ...fields.map((field) => `  - ${fieldText(field, style)}`),
  ];
}

function fieldText(field: Field, style: Style): string {
  const { words = [], added = [], removed = [], note, before, after } = field;
  const marked = { "=": style.plain, "-": style.removed, "+": style.added };
  const entries = [...removed.map(style.removed), ...added.map(style.added)];
  const parts = [
    words.map(({ sign, text }) => marked[sign](text)).join(""),
    ...entries,
    note ?? "",
  ];
  if (before !== undefined && after !== undefined) {
    parts.push([before, after].map((value) => style.plain(String(value ?? "nothing"))).join(" → "));
  }
  return `${style.plain(field.name)}: ${parts.filter((part) => part !== "").join(", ")}`;
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

/*
 * What a text from elsewhere, such as a title, may become. Each medium has its function here, and here only
 * (`test/architecture.test.ts`): no text forges a line, steers a terminal, runs a formula or a command of a CI system.
 */

/** Controls of terminals, marks that turn the direction of text, separators of lines, halves of pairs; spaces beside. */
const steering = / ?[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]+ ?/gu;
/** What JSON leaves as it is of these, and the first sign of `##[group]` and `##vso[…]`. */
const inJson = /[\x7f-\x9f\p{Bidi_Control}\p{Zl}\p{Zp}]|#(?=#\w*\[)/gu;
/** Characters of a line, of a string of JSON, and of a cell, at most; a cell of Excel takes 32,767. */
const most = { line: 2_000, string: 20_000, cell: 15_000, name: 1_000 };

/** One line of bounded length, which ends at a word: a part of a secret would not be recognised. */
function oneLine(text: string, length = most.line): string {
  const start = text.length > length ? `${text.slice(0, length).replace(/\S{1,200}$/, "")}…` : text;
  return start.replace(steering, " ");
}

/** A line for a terminal, a log or a comment: no control of a terminal, no command of GitHub or Azure (`::`, `##[`). */
export function lineText(text: string, length?: number): string {
  return oneLine(text, length)
    .replace(/##(?=\w*\[)/g, "# #")
    .replace(/^([^\p{L}\p{N}\p{P}\p{S}]*):(?=:)/u, "$1: ");
}

/** A text that was written for its medium. Only this module makes it, so that it may stand in a line as it is. */
class Written {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type { Written };

/** The tag of a template whose literal parts are ours, and whose values are written for a medium. */
function tagFor(write: (text: string) => string) {
  return (parts: TemplateStringsArray, ...values: unknown[]): Written => {
    const texts = values.map((value) => (value instanceof Written ? value : write(String(value))));
    return new Written(parts.map((part, at) => `${part}${texts[at] ?? ""}`).join(""));
  };
}

export type Tag = ReturnType<typeof tagFor>;

/** A line for a terminal: terminal`${title}: 2 images` */
export const terminal = Object.assign(tagFor(lineText), {
  /** As it is to be written: of plain text, what may stand in a line. */
  line: (text: string | Written): string => (text instanceof Written ? `${text}` : lineText(text)),
  /** @param code of ECMA-48, such as 31 for red */
  colored: (text: string, code: number) => new Written(`\x1b[${code}m${lineText(text)}\x1b[0m`),
  /** Clears the line that is shown last. */
  erase: "\r\x1b[2K",
});

const markdownText = (text: string): string =>
  oneLine(text)
    .replace(/\s+/g, " ")
    .replace(/[\\`*[\]<>|#~&!@$]|(?<!\w)_|_(?!\w)|:(?=\/\/)|(?<=www)\./gi, "\\$&")
    .replace(/^ ?(?=[-+])|^ ?\d{1,9}(?=[.)](?:\s|$))/, "$&\\");

/** Markdown of GitHub, to which values mean nothing: markdown`- ${title}` */
export const markdown = Object.assign(tagFor(markdownText), {
  code: (text: string) =>
    new Written(`\`${oneLine(text).replaceAll("`", "'").replaceAll("|", "\\|")}\``),
  link(name: string, url: string): Written {
    const encoded = (sign: string): string => `%${sign.charCodeAt(0).toString(16)}`;
    const target = oneLine(url).replace(/[\s()<>\\|]/g, encoded);
    return new Written(`[${markdownText(name)}](${target})`);
  },
  /** @param mark such as `**`; spaces stand outside of it */
  marked: (text: string, mark: string) =>
    new Written(markdownText(text).replace(/^( ?)(.*?)( ?)$/, `$1${mark}$2${mark}$3`)),
});

/** JSON that neither a terminal nor a CI system obeys; its strings have a bounded length. */
export function jsonText(value: unknown, indent?: number): string {
  const bounded = (_: string, inner: unknown) =>
    typeof inner === "string" ? inner.slice(0, most.string) : inner;
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value, bounded, indent).replace(inJson, escaped);
}

const byteOrderMark = "\uFEFF";

/**
 * A table as RFC 4180 writes it, with a byte order mark, by which spreadsheets know UTF-8. A text that a spreadsheet
 * would take for a formula gets an apostrophe in front; also behind a semicolon, which some take for a comma.
 */
export function csvText(rows: Iterable<readonly string[]>): string {
  let text = byteOrderMark;
  for (const row of rows) text += csvRow(row);
  return text;
}

/** A row of such a table. */
export const csvRow = (row: readonly string[]): string => `${row.map(cell).join(",")}\r\n`;

function cell(text: string): string {
  const harmless = oneLine(text, most.cell).replace(/(^|;)(?=["\s]*[=+\-@＝＋－＠])/g, "$1'");
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** An annotation: https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
export function workflowCommand(level: string, lines: readonly string[], hint?: string): Written {
  const all = hint === undefined ? lines : [...lines, `hint: ${hint}`];
  const text = all.map((line) => lineText(line).replaceAll("%", "%25")).join("%0A");
  return new Written(`::${level} title=stillpress::${text}`);
}

/** A name for a file: without folders' separators, what Windows refuses, and dots and spaces at its ends. */
export function fileName(text: string): string {
  return oneLine(text, most.name)
    .replace(/[<>:"/\\|?*\s]+/g, " ")
    .replace(/^[ .]+|[ .]+$/g, "");
}

/** Parameters of `Content-Disposition` for a name from `fileName` (RFC 6266), with one in ASCII for what knows no other. */
export function namedFile(name: string): string {
  const plain = name.replace(/[^ -~]|["\\%]/gu, "_");
  const coded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${coded}`;
}

/**
 * A gauge in the text format of Prometheus, which OpenMetrics has too; none without a value.
 *
 * @param label name of what tells the samples apart; their values are its values
 */
export function gaugeText(
  name: string,
  help: string,
  samples: readonly (readonly [value: string, sample: number])[],
  label?: string,
): string {
  if (samples.length === 0) return "";
  const rows = samples.map(([value, sample]) => {
    const text = oneLine(value).replace(/[\\"]/g, "\\$&");
    return label === undefined ? `${name} ${sample}\n` : `${name}{${label}="${text}"} ${sample}\n`;
  });
  const about = [
    ["#", "HELP", name, oneLine(help)],
    ["#", "TYPE", name, "gauge"],
  ];
  return [...about.map((words) => `${words.join(" ")}\n`), ...rows].join("");
}

/** A value for later steps of a workflow, for its file `GITHUB_OUTPUT`. */
export function outputValue(name: string, value: unknown): string {
  return `${name}=${oneLine(String(value ?? ""))}\n`;
}

/** What XML 1.0 allows in no document, not even as a character reference. Section 2.2 of the recommendation. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

const references: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** A text for an element or an attribute of XML or HTML. Characters that XML forbids are dropped. */
export function xmlText(text: string): string {
  return text.replace(forbidden, "").replace(/[&<>"]/g, (char) => references[char] as string);
}

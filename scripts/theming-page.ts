import { createFormats } from "../src/site/formats.ts";
import { membersOf, readShapes, type Shapes } from "./view-shapes.ts";

const head = `<!-- Written by "npm run schema" from the interfaces in src/site/views. Edit their comments there. -->

# What templates get

Each template has its data as \`it\`: \`it.title\`, \`it.f.date(…)\`. [theming.md](theming.md) tells how to make a theme; this page is for looking things up. \`stillpress eject NAME\` copies a template as an example of all this.

- "Or null" and "or missing" need a condition before the value is used: \`<% if (it.date !== null) { %>\`. A value that is missing is \`undefined\`, and to print it is an error.
- Links are relative to the page that they stand on, so that the website works in any folder. Times are texts in the site's language, beside the time as programs want it.
- Text is plain text: \`<%= %>\` makes it harmless. \`it.body\` of an article and of the layout is HTML: \`<%~ %>\` prints it as it is.
- The same types are in the package, for editors: \`import type { Templates } from "stillpress/theme"\`.
`;

/** What can be called on `it.f`, by its name: examples, and what they are for. */
const examples: Record<string, [code: string, meaning: string]> = {
  t: ['f.t("count.articles", { n: 2 })', "words of the website, see [Words](theming.md#words)"],
  html: [
    'f.html("place.in", { at: 3, all: 45, gallery: "<b>Boats</b>" })',
    "the same with values that are HTML; print it with `<%~ %>`",
  ],
  escape: ['f.escape("Salt & pepper")', "text as HTML, for values of `f.html`"],
  number: ["f.number(12345)", "a number"],
  date: ['f.date("2024-05-02T09:00:00Z")', "a day"],
  dateTime: ['f.dateTime("2024-05-02T09:00:00Z")', "a day with its time"],
  month: ['f.month("2024", "05")', "a month of a year"],
  duration: ["f.duration(151)", "how long a video or recording is"],
  monthName: ['f.monthName("05")', "a month"],
  isoDay: ['f.isoDay("2024-05-02T09:00:00Z")', "a day for programs, in the origin's time zone"],
  yearMonth: ['f.yearMonth("2024-05-02T09:00:00Z")', "year and month of a time"],
  bytes: ["f.bytes(1234567)", "the size of a file"],
  names: ['f.names(["Ada", "Ben", "Cy"])', "people"],
  parts: ['f.parts(["Ada", "2 May 2024"])', "parts of a line"],
  lang: [
    'f.lang("ja")',
    "attribute for text in another language than the site's; print it with `<%~ %>`",
  ],
  compare: ['["b", "A"].sort(f.compare)', "alphabetical order"],
  forScript: ['f.forScript("newer", "older")', "words for a script, as JSON"],
  language: ["f.language", "language of the site"],
  direction: ["f.direction", '"rtl" where the language runs from right to left'],
  spoken: ["f.spoken", "language of the words; English where there are none in the site's"],
  title: ['f.title("Part-time work")', "title as HTML; hyphenated words stay whole"],
  plurals: ["f.plurals", "plural forms of 0 to 199 in that language"],
  digits: ["f.digits", "0 to 9 as that language writes them"],
  dateLanguage: ["f.dateLanguage", "language that dates are written in"],
  region: ["f.region", "language as Open Graph writes it"],
};

/** Names of the examples, which a test compares with what there is. */
export const exampleNames = Object.keys(examples);

/** docs/theming-reference.md: every template and what it gets, as the interfaces say it. */
export function themingPage(): string {
  const { shapes, templates } = readShapes();
  const section = (level: string, title: string, name: string, leave?: string): string =>
    [`${level} ${title}`, "", ...shapeText(shapes, name, leave), ""].join("\n");
  const names = [...templates.keys()];
  const pages = names.filter((name) => name !== "layout" && !name.startsWith("partials/"));
  const partials = names.filter((name) => name.startsWith("partials/") && !isFrame(name));
  const file = (name: string): string => `\`${name}.eta\``;
  const of = (name: string, level: string): string =>
    section(level, file(name), templates.get(name) as string, "Shared");
  const shown = new Set([...templates.values(), "Shared", "Page", "Sections"]);
  const parts = partsOf(shapes, shown);
  return [
    head,
    "## Every page\n",
    section("###", "`it`", "Page"),
    `### \`it.f\`\n\nIn a site in English:\n\n${formatsTable()}\n`,
    section("###", "`it.hrefs`", "Sections"),
    "## Pages\n\nBeside what every page has:\n",
    ...pages.map((name) => of(name, "###")),
    "## The frame\n\nBeside what every page has:\n",
    section(
      "###",
      ["layout", "partials/head", "partials/foot"].map(file).join(", "),
      "LayoutView",
      "Shared",
    ),
    '## Partials\n\nA partial sees all that the template around it has, and what it is given goes before that: `include("@partials/card", { f: it.f, card })`.\n',
    ...partials.map((name) => section("###", file(name), templates.get(name) as string)),
    "## Parts\n",
    ...parts.map((name) => section("###", name, name)),
  ].join("\n");
}

const isFrame = (name: string): boolean => name === "partials/head" || name === "partials/foot";

/** The shapes that are no templates, in alphabetical order. */
function partsOf(shapes: Shapes, shown: ReadonlySet<string>): string[] {
  const named = new Set<string>();
  for (const { members } of shapes.values()) {
    for (const { type } of members)
      for (const name of type.match(/\b[A-Z]\w+/g) ?? []) named.add(name);
  }
  return [...shapes.keys()].filter((name) => named.has(name) && !shown.has(name)).sort();
}

function shapeText(shapes: Shapes, name: string, leave?: string): string[] {
  const about = shapes.get(name)?.about ?? "";
  const rows = membersOf(shapes, name, leave).map(
    ({ name, type, optional, meaning }) =>
      `| \`${name}\` | ${typeText(type)}${optional ? " or missing" : ""} | ${meaning} |`,
  );
  const table = ["| Member | Type | Meaning |", "| --- | --- | --- |", ...rows];
  if (rows.length === 0) return [about === "" ? "Nothing more." : about];
  return [...(about === "" ? [] : [about, ""]), ...table];
}

const words: Record<string, string> = {
  string: "text",
  boolean: "true or false",
  object: "object",
  Formats: "[f](#itf)",
  Sections: "[hrefs](#ithrefs)",
  "keyof Sections": "name of a [section](#ithrefs)",
};

/** typeText("Card[] | null") → "list of [Card](#card) or null" */
function typeText(type: string): string {
  if (type.includes("=>")) return "function";
  const list = /^\(?(.*?)\)?\[\]$/.exec(type);
  if (list !== null) return `list of ${grouped(typeText(list[1] as string))}`;
  if (type.startsWith("[")) return "list of two texts";
  if (type.includes(" | ")) return type.split(" | ").map(typeText).join(" or ");
  if (words[type] !== undefined) return words[type];
  if (type.startsWith('"')) return `\`${type}\``;
  return /^[A-Z]/.test(type) ? `[${type}](#${type.toLowerCase()})` : type;
}

const grouped = (text: string): string => (text.includes(" or ") ? `(${text})` : text);

function formatsTable(): string {
  const f = createFormats("en", "UTC");
  const rows = Object.values(examples).map(([code, meaning]) => {
    const value: unknown = new Function("f", `return ${code}`)(f);
    const text = typeof value === "string" ? value.trim() : JSON.stringify(value);
    return `| \`${code}\` | \`${text}\` | ${meaning} |`;
  });
  return ["| Call | Gives | What it is |", "| --- | --- | --- |", ...rows].join("\n");
}

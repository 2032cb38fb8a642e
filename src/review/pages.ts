import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Change, type ChangeKind, fates } from "../changes/changes.ts";
import { countsText } from "../changes/print.ts";
import { keyOf } from "../lib/digest.ts";
import { csvText } from "../lib/foreign.ts";
import { plural } from "../lib/words.ts";
import { urlPath } from "../routes/site.ts";
import { createFormats } from "../site/formats.ts";
import { pictureOf } from "../site/pictures.ts";
import { readable } from "../site/plain-text.ts";
import { builtInTemplates, type Templates } from "../site/templates.ts";
import type { MediaEntry } from "../store/media.ts";
import { type Finding, type FindingKind, findingKinds, findingsIn } from "./findings.ts";
import { type Ground, type Night, nightPath } from "./nights.ts";

const nouns = {
  articles: "Article",
  galleries: "Gallery",
  images: "Picture",
  videos: "Video",
  documents: "Document",
  audio: "Audio file",
  categories: "Category",
  tags: "Tag",
} satisfies Record<ChangeKind, string>;

/** Findings of each kind that the page lists. */
const listed = 200;
/** Items of each fate that the first page shows of the last night. */
const firstItems = 5;
/** Files of the desk beside its pages, and where they lie in the built-in templates: a theme is the website's. */
const deskAssets = [
  ["site.css", "assets/style.css"],
  ["desk.css", "review/desk.css"],
  ["desk.js", "review/desk.js"],
] as const;

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/;

/** What a reader would see comes first, and what moved in time alone comes last. */
const weightOf = ({ fields }: Pick<Change, "fields">): number => {
  const isTime =
    fields.length > 0 && fields.every(({ name }) => /(?:_at|_on|date|time)$/i.test(name));
  const isText = fields.some(({ name }) => /title|body|synopsis|caption|text|content/i.test(name));
  return isTime ? 2 : isText ? 0 : 1;
};

const readAsset = (path: string): string => readFileSync(join(builtInTemplates, path), "utf8");

/** Key of the files beside the pages. */
export const assetsKey = (): string => keyOf(deskAssets.map(([, path]) => readAsset(path)));

/** Pages, tables, style sheets and the script of the desk. */
export function* deskPages(
  ground: Ground,
  templates: Templates,
  nights: readonly Night[],
): Generator<[path: string, content: string]> {
  const { config, catalogue } = ground;
  const { manifest } = catalogue.snapshot;
  const formats = createFormats("en-GB", config.origin.timezone);
  const dates = nights.map((night) => ({
    ...night,
    path: nightPath(night.id, "html"),
    summary: countsText(night.counts),
    when: formats.dateTime(night.time),
  }));
  const { kinds, total, csv } = gatherFindings(ground);
  const shared = {
    f: formats,
    /** A value as people read it: times as dates, without character references. */
    said: (value: unknown) => {
      const text = String(value ?? "");
      return isoTime.test(text) ? formats.dateTime(text) : readable(text);
    },
    plural,
    siteTitle: config.site.title,
    fates,
    nouns,
    when: formats.dateTime(manifest.time),
  };
  const page = (path: string, name: string, title: string, data: object): [string, string] => {
    const up = "../".repeat(path.split("/").length - 1);
    const view = { ...shared, up, path, title, dates, ...data };
    const body = templates.render(`review/${name}`, view);
    return [path, templates.render("review/frame", { ...view, body })];
  };
  for (const [name, path] of deskAssets) yield [name, readAsset(path)];
  yield ["findings.csv", csv];
  const [last] = dates;
  const night = last && { ...last, items: viewsOf(ground, last, "", shareOf(last.items)) };
  yield page("index.html", "desk", "The desk", { manifest, kinds, total, night, more: last?.path });
  for (const [at, one] of dates.entries()) {
    const items = viewsOf(ground, one, "../", one.items);
    yield page(one.path, "night", `Changes of ${one.when}`, {
      night: { ...one, items },
      more: `${one.id}.csv`,
    });
    yield [nightPath(one.id, "json"), `${JSON.stringify(nights[at])}\n`];
  }
}

function shareOf(items: readonly Change[]): Change[] {
  const inOrder = [...items].sort((a, b) => weightOf(a) - weightOf(b));
  return fates.flatMap((fate) => inOrder.filter(({ what }) => what === fate).slice(0, firstItems));
}

/** Changes with what their links lead to today. An image that may not be shown now has neither link nor picture. */
function viewsOf(ground: Ground, { pictures }: Night, up: string, items: readonly Change[]) {
  const { catalogue, root } = ground;
  const inOrder = [...items].sort((a, b) => weightOf(a) - weightOf(b));
  return inOrder.map((change) => {
    const { kind, id, page } = change;
    const isShown = catalogue.shows(kind, id);
    const href = isShown && page !== null && existsSync(join(root, page)) ? page : null;
    const pair = isShown && kind === "images" ? pictures[id] : undefined;
    const entry = isShown && kind === "images" && !pair ? catalogue.media("images", id) : undefined;
    return {
      ...change,
      title: readable(change.title),
      isNoise: weightOf(change) === 2,
      href: href && `${up}../public/${urlPath(href)}`,
      view: isShown ? change.view : null,
      pair,
      thumb: thumbOf(ground, up, entry),
    };
  });
}

/** A small published picture of an image; null where there is none. */
function thumbOf({ catalogue, root }: Ground, up: string, entry: MediaEntry | undefined) {
  const picture = entry && pictureOf(catalogue, entry, (path) => path, { width: 320 });
  if (picture === undefined || !existsSync(join(root, decodeURI(picture.src)))) return null;
  const { src, width, height } = picture;
  return { src: `${up}../public/${src}`, width, height };
}

/** Counts the findings, lists the first ones of each kind for the page, and all in a table. */
function gatherFindings(ground: Ground) {
  const { catalogue, config, root } = ground;
  const kinds = Object.entries(findingKinds).map(([kind, title]) => {
    return { kind: kind as FindingKind, title, count: 0, rows: [] as ReturnType<typeof rowOf>[] };
  });
  const rows = [["Finding", "Kind", "Title", "Detail", "Page", "At the origin"]];
  let total = 0;
  for (const finding of findingsIn(catalogue, config.origin.baseUrl)) {
    const kind = kinds.find((one) => one.kind === finding.kind);
    if (kind === undefined) continue;
    const { item = "", id, title, detail } = finding;
    const path = item !== "" && id !== undefined ? catalogue.page(item, id) : undefined;
    const page = path !== undefined && existsSync(join(root, path)) ? path : null;
    const view = finding.view !== null && /^https?:/i.test(finding.view) ? finding.view : null;
    kind.count++;
    total++;
    if (kind.rows.length < listed) kind.rows.push(rowOf(ground, finding, page, view));
    rows.push([kind.title, item, title, detail, page === null ? "" : `public/${page}`, view ?? ""]);
  }
  return { kinds, total, csv: csvText(rows) };
}

function rowOf(ground: Ground, finding: Finding, page: string | null, view: string | null) {
  const { item = "archive", title, detail, entry } = finding;
  const href = page && `../public/${urlPath(page)}`;
  return { item, title: readable(title), detail, href, view, thumb: thumbOf(ground, "", entry) };
}

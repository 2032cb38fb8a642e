import type { Catalogue } from "../catalogue/catalogue.ts";
import { addTo } from "../lib/frequency.ts";
import { anonymousProblem } from "../lib/groups.ts";
import { andMore } from "../lib/words.ts";
import { bodyFacts, readBody, renderBody } from "../site/body.ts";
import { createFormats } from "../site/formats.ts";
import { createLookup, type Lookup } from "../site/links.ts";
import type { MediaEntry } from "../store/media.ts";
import type { Article, Gallery } from "../store/records.ts";
import { brokenLinks } from "./bodies.ts";

/** What an editor may want to mend, in the order in which it is shown. */
export const findingKinds = {
  link: "Links to what is not in the archive",
  anchor: "Links to places that the text does not have",
  part: "Parts of texts that are shown as something else",
  text: "Articles without text",
  category: "Articles without a category",
  picture: "Articles without a picture",
  caption: "Pictures without title and caption",
  private: "Attached pictures that are not shown",
  title: "Equal titles",
  slug: "Equal slugs",
  future: "Dates in the future of the snapshot",
  huge: "Huge originals",
  place: "Originals that say where they were taken",
  problem: "Gaps of the crawl",
  remark: "Remarks of the crawl",
} as const;
export type FindingKind = keyof typeof findingKinds;

export interface Finding {
  kind: FindingKind;
  /** Undefined where it is about no item of the archive. */
  item?: "articles" | "galleries" | "images";
  id?: string;
  title: string;
  /** At the origin. */
  view: string | null;
  detail: string;
  entry?: MediaEntry | undefined;
}

/** Above these, an original is larger than prints and screens need. */
const huge = { bytes: 20_000_000, pixels: 60_000_000 };
/** Broken links of one body that are spelled out. */
const maxLinks = 5;

interface Parent {
  item: "articles" | "galleries";
  normal: Article | Gallery;
}

/** Everything that an editor may want to mend. Reads each item and each body once or twice. */
export function* findingsIn(catalogue: Catalogue, baseUrl: string): Generator<Finding> {
  const isOrigins = originFinder(catalogue);
  for (const parent of parentsIn(catalogue)) yield* ofDates(parent, catalogue);
  for (const parent of parentsIn(catalogue)) {
    if (parent.item === "articles") yield* ofArticle(parent, catalogue, { isOrigins, baseUrl });
  }
  yield* ofAttachments(catalogue);
  yield* ofImages(catalogue);
  for (const item of ["articles", "galleries"] as const) yield* ofNames(catalogue, item);
  const { problems, remarks } = catalogue.snapshot.manifest;
  for (const [kind, list] of [["problem", problems] as const, ["remark", remarks] as const]) {
    for (const { subject, reason } of list.map(anonymousProblem))
      yield { kind, title: subject, view: null, detail: reason };
  }
}

function* parentsIn({ snapshot }: Catalogue): Generator<Parent> {
  for (const item of ["articles", "galleries"] as const) {
    for (const { value: normal } of snapshot.normals(item)) yield { item, normal };
  }
}

function about({ item, normal }: Parent) {
  return { item, id: normal.id, title: normal.title.trim() || normal.id, view: normal.view };
}

/** Tells which URLs mean an item of the origin: those of its API, and those in the folders of its pages. */
function originFinder(catalogue: Catalogue): (url: string) => boolean {
  const folders = new Set<string | undefined>();
  for (const { normal } of parentsIn(catalogue)) folders.add(folderOf(normal.view ?? ""));
  folders.delete(undefined);
  return (url) => {
    const route = catalogue.routes.resolve(url)?.route;
    const isItem = route === "single" || route === "binary" || route === "download";
    return isItem || folders.has(folderOf(url));
  };
}

/** Host and folder of a page; undefined for one at the root, where a website has all sorts of pages. */
export function folderOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { host, pathname } = new URL(url);
  const folder = pathname.slice(0, pathname.replace(/\/$/, "").lastIndexOf("/") + 1);
  return folder === "/" ? undefined : host + folder;
}

function* ofDates(parent: Parent, { snapshot }: Catalogue): Generator<Finding> {
  const { publishedAt } = parent.normal;
  if (publishedAt === null || Date.parse(publishedAt) <= Date.parse(snapshot.manifest.time)) return;
  yield { kind: "future", ...about(parent), detail: `published at ${publishedAt}` };
}

function* ofArticle(
  parent: Parent,
  catalogue: Catalogue,
  { isOrigins, baseUrl }: { isOrigins: (url: string) => boolean; baseUrl: string },
): Generator<Finding> {
  const normal = parent.normal as Article;
  const body = catalogue.snapshot.preparedOf("articles.single", normal.id, bodyFacts);
  const article = about(parent);
  const path = catalogue.page("articles", normal.id) ?? "";
  const lookup = createLookup(catalogue, path, normal.view, baseUrl);
  const html = () => readBody(catalogue, normal.id).html;
  const { missing, dangling } = brokenLinks(body?.urls ?? [], html, { lookup, isOrigins });
  const nameOf = (url: string) => (catalogue.mayName(url) ? url : "a picture that is not shown");
  const named = [...new Set(missing.map(nameOf))];
  if (named.length > 0) yield { kind: "link", ...article, detail: listed(named) };
  if (dangling.length > 0) yield { kind: "anchor", ...article, detail: listed(dangling) };
  const parts = body?.mayBeReplaced ? replacedIn(html(), catalogue, lookup) : [];
  if (parts.length > 0) yield { kind: "part", ...article, detail: listed(parts) };
  if (body?.isEmpty) yield { kind: "text", ...article, detail: "its body is empty" };
  if (normal.category === null && (body?.category ?? null) === null) {
    yield { kind: "category", ...article, detail: "stands in no category's list" };
  }
  const hasPicture = normal.attachments.images || normal.thumbnail || body?.hasPicture;
  if (!hasPicture)
    yield { kind: "picture", ...article, detail: "no thumbnail, attached or in text" };
}

/** Names of the elements of a body for which a picture, a link or a note stands. */
function replacedIn(html: string, catalogue: Catalogue, lookup: Lookup): string[] {
  const formats = createFormats("en", "UTC");
  return [...renderBody(html, { catalogue, formats, lookup, link: (path) => path }).replaced];
}

function listed(urls: readonly string[]): string {
  return urls.slice(0, maxLinks).join(", ") + andMore(urls.length - maxLinks);
}

/** Pictures that are kept back are counted, never named. */
function* ofAttachments({ snapshot, visibility }: Catalogue): Generator<Finding> {
  for (const { value } of snapshot.normals("attachments")) {
    const { parent, parentId, kind, items } = value;
    if (kind !== "images") continue;
    const unshown = items.filter(([id]) => !visibility.shows(id));
    const normal = unshown.length > 0 ? snapshot.find(parent, parent, parentId)?.normal : undefined;
    if (normal === undefined) continue;
    const reasons = new Set(unshown.map(([id]) => visibility.of(id).reason));
    const detail = `${unshown.length} of ${items.length} pictures: ${[...reasons].join("; ")}`;
    yield { kind: "private", ...about({ item: parent, normal }), detail };
  }
}

function* ofImages({ snapshot, media, originalPath }: Catalogue): Generator<Finding> {
  const known = new Set<string>();
  for (const list of ["images", "images.unlisted"] as const) {
    for (const { id, value } of snapshot.normals<"images">(list)) {
      if (known.has(id)) continue;
      known.add(id);
      const { title, caption, view } = value;
      const entry = media("images", id);
      const name = title.trim() || (caption ?? "").trim();
      const image = { item: "images" as const, id, title: name || id, view, entry };
      if (name === "") yield { kind: "caption", ...image, detail: "nothing says what it shows" };
      if (entry?.metadata?.place) {
        const isPublished = entry.metadata.setting === "keep" && originalPath(entry);
        const detail = isPublished ? "published with it" : "not published";
        yield { kind: "place", ...image, detail };
      }
      const { bytes, width = 0, height = 0 } = entry?.original ?? { bytes: 0 };
      if (bytes <= huge.bytes && width * height <= huge.pixels) continue;
      const size = `${(bytes / 1e6).toFixed(1)} MB, ${width} × ${height} pixels`;
      yield { kind: "huge", ...image, detail: size };
    }
  }
}

/** Titles and slugs that several items share. */
function* ofNames({ snapshot }: Catalogue, item: Parent["item"]): Generator<Finding> {
  const ids = { title: new Map<string, string[]>(), slug: new Map<string, string[]>() };
  const kinds = ["title", "slug"] as const;
  for (const { id, value } of snapshot.normals(item)) {
    const { title, slug } = value;
    const names = { title: title.trim().replace(/\s+/g, " "), slug: (slug ?? "").trim() };
    for (const kind of kinds) addTo(ids[kind], names[kind], id);
  }
  for (const kind of kinds) {
    for (const [name, same] of ids[kind]) {
      if (name === "" || same.length < 2) continue;
      for (const id of same) {
        const normal = snapshot.find(item, item, id)?.normal;
        if (normal === undefined) continue;
        const detail = `${same.length} ${item} are called ${JSON.stringify(name)}`;
        yield { kind, ...about({ item, normal }), detail };
      }
    }
  }
}

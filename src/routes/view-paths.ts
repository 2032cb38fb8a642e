import { mostFrequentFirst } from "../lib/frequency.ts";
import { byAge, foldedPath } from "./readable.ts";
import { oldPathOf, redirectsFile } from "./redirects.ts";
import { deviceNames } from "./segments.ts";
import { ownPaths } from "./site.ts";

/** A page that may live at the path of its address at the origin's website. */
export interface Viewed {
  /** Unique. */
  name: string;
  view: string | null;
  /** ISO time; the older of two pages with one path keeps it. */
  createdAt: string | null;
}

/** Why a page does not live at its old path. */
export const viewReasons = {
  none: "there is no links.view",
  elsewhere: "links.view is on another host than most",
  unusable: "the path of links.view cannot be that of a file on every host",
  hidden: "the path of links.view must not be shown",
  own: "the path of links.view belongs to the archive itself",
  taken: "an older page has the path of links.view, or writes it otherwise",
} as const;
export type ViewReason = keyof typeof viewReasons;

const character = "[\\p{L}\\p{M}\\p{N}._~,+=!()@-]";
/** A name that every file system and host takes for itself: no dot in front or at the end. */
const plainSegment = new RegExp(`^(?!\\.)${character}+(?<!\\.)$`, "u");
const device = new RegExp(`^(?:${deviceNames})(?:\\.|$)`, "i");
/** An ending that hosts may take for a type, or run: that of `story.php`, not that of `v1.2`. */
const ending = /\.[a-z0-9]*[a-z][a-z0-9]*(?:\.|$)/i;
const most = { segments: 10, bytes: 200 };

/**
 * The file that answers a page's address at the origin's website on a host that only sends files. One that ends in
 * `.html` is kept; any other is a folder with an index, which hosts send with or without a slash behind its name.
 * Undefined where there is none: see `oldPathOf`.
 *
 * viewFileOf("https://news.example.org/2024/05/some-title") → "2024/05/some-title/index.html"
 */
export function viewFileOf(view: string): string | undefined {
  const path = oldPathOf(view)?.slice(1);
  if (path === undefined || path !== path.normalize("NFC")) return undefined;
  const isFile = /[^/]\.html$/.test(path) && !/\/$/.test(new URL(view).pathname);
  const segments = path.split("/");
  const names = (isFile ? path.replace(/\.html$/, "") : path).split("/");
  const isPlain = (name: string): boolean =>
    plainSegment.test(name) && !device.test(name) && !ending.test(name);
  if (segments.length > most.segments || !names.every(isPlain)) return undefined;
  if (segments.some((name) => Buffer.byteLength(name) > most.bytes)) return undefined;
  return isFile ? path : `${path}/index.html`;
}

/**
 * Paths of the pages that can live where they were at the origin's website, by their names, and of the others why they
 * cannot. No two of the paths clash, whatever their case, not with the archive's own paths, and no file is called as a
 * folder. They do not depend on the order of the pages.
 *
 * @param root folder of the mirror
 * @param hides whether a path must not be shown
 */
export function viewPaths(
  pages: Iterable<Viewed>,
  root: string,
  hides: (path: string) => boolean = () => false,
) {
  const ordered = byAge(pages, ({ name }) => name);
  const hosts = ordered.map(({ view }) => hostOf(view)).filter((one) => one !== "");
  const [host] = mostFrequentFirst(hosts.sort());
  const own = new Set([...ownPaths(), root, redirectsFile].map((path) => topOf(foldedPath(path))));
  const taken = new Taken();
  const paths = new Map<string, string>();
  const others = new Map<ViewReason, string[]>();
  for (const { name, view } of ordered) {
    const file = view === null ? undefined : viewFileOf(view);
    const reason = reasonAgainst(view, file);
    if (reason === undefined && file !== undefined) paths.set(name, file);
    else if (reason !== undefined) {
      const same = others.get(reason) ?? [];
      same.push(name);
      others.set(reason, same);
    }
  }
  return { paths, others };

  function reasonAgainst(view: string | null, file: string | undefined): ViewReason | undefined {
    if (view === null) return "none";
    if (file === undefined) return "unusable";
    if (hostOf(view) !== host) return "elsewhere";
    if (hides(file)) return "hidden";
    if (own.has(topOf(foldedPath(file)))) return "own";
    return taken.take(file) ? undefined : "taken";
  }
}

/** Files and the folders above them, as a file system sees them that takes `A` for `a`. No folder is called as a file. */
class Taken {
  readonly #files = new Set<string>();
  /** By their folded form. */
  readonly #folders = new Map<string, string>();

  /** False where the path is taken, or a folder above it is written otherwise. */
  take(file: string): boolean {
    const folded = foldedPath(file);
    const folders = Array.from(file.matchAll(/\//g), ({ index }) => file.slice(0, index));
    const isOther = (folder: string): boolean =>
      (this.#folders.get(foldedPath(folder)) ?? folder) !== folder;
    if (this.#files.has(folded) || folders.some(isOther)) return false;
    this.#files.add(folded);
    for (const folder of folders) this.#folders.set(foldedPath(folder), folder);
    return true;
  }
}

/** First segment, without the ending of a page: hosts may send "search.html" for "search". */
function topOf(path: string): string {
  return (path.split("/")[0] ?? "").replace(/\.html$/, "");
}

function hostOf(view: string | null): string {
  return view !== null && URL.canParse(view) ? new URL(view).host : "";
}

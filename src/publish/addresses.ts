import type { Catalogue } from "../catalogue/catalogue.ts";
import { keyOf } from "../lib/digest.ts";
import type { FilesByPath } from "../lib/file-list.ts";
import type { OutputFile, RenderedFile } from "../lib/output.ts";
import { type Remark, remarkOn } from "../lib/reporter.ts";
import {
  formerPathsOf,
  oldPathOf,
  planRedirects,
  redirectsFile,
  redirectsText,
} from "../routes/redirects.ts";
import type { BuiltFile } from "./manifest.ts";

/** The paths that pages have had until now, by what they are about. */
export type FormerPaths = ReadonlyMap<string, readonly string[]>;

/** Reads them from the files that are published. A path that another page has taken since is no longer one of them. */
export function formerPathsIn(files: FilesByPath<BuiltFile>): FormerPaths {
  const former = new Map<string, string[]>();
  for (const { path, about, was = [] } of files.values()) {
    if (about === undefined) continue;
    former.set(about, [path, ...was.filter((one) => !files.has(one))]);
  }
  return former;
}

/** The addresses of a build's pages: it is shown each file of the website, and then makes the list of redirects. */
export class Addresses {
  remarks: readonly Remark[] = [];
  readonly #former: FormerPaths;
  readonly #paths = new Set<string>();
  /** Pages that have moved, with their former paths, by their paths. */
  readonly #moved = new Map<string, readonly string[]>();
  /** The pages of articles and galleries. */
  readonly #items = new Set<string>();

  constructor(former: FormerPaths) {
    this.#former = former;
  }

  /** Adds the paths that a page had before. */
  note<File extends OutputFile>(file: File): File {
    const { path, about } = file;
    this.#paths.add(path);
    if (about === undefined) return file;
    if (/^(?:articles|galleries)\//.test(about)) this.#items.add(path);
    const was = (this.#former.get(about) ?? []).filter((one) => one !== path);
    if (was.length === 0) return file;
    this.#moved.set(path, was);
    return { ...file, was };
  }

  /** Where the former addresses of pages lead, for servers: those in the archive, and those at the origin's website. */
  redirects(catalogue: Catalogue): RenderedFile {
    const old = [...this.#ofMoved(), ...this.#ofViews(catalogue)];
    const { redirects, shared } = planRedirects(old.filter(([path]) => !catalogue.hides(path)));
    const reason = "several pages had this path, which leads to the first of them";
    this.remarks = remarkOn(shared, reason);
    const text = redirectsText(redirects);
    return { path: redirectsFile, key: () => keyOf(text), content: () => text };
  }

  *#ofMoved(): Generator<[path: string, page: string]> {
    for (const [page, was] of this.#moved) {
      for (const path of was.filter((one) => !this.#paths.has(one))) {
        for (const old of formerPathsOf(path)) yield [old, page];
      }
    }
  }

  *#ofViews(catalogue: Catalogue): Generator<[path: string, page: string]> {
    const { root } = catalogue.routes;
    for (const [view, page] of catalogue.viewed()) {
      const path = this.#items.has(page) ? oldPathOf(view) : undefined;
      // Below the mirror root, the API answers.
      if (path === undefined || `${path}/`.startsWith(`/${root}/`)) continue;
      const file = path.slice(1);
      if (this.#paths.has(file) || this.#paths.has(`${file}/index.html`)) continue;
      yield [path, page];
    }
  }
}

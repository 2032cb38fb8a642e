import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { cached } from "../../src/lib/cached.ts";

/**
 * Links of a website's pages that lead to no file, or to an anchor that is not there.
 *
 * @param paths all files of the website, relative to the folder
 */
export function brokenLinks(folder: string, paths: readonly string[]): string[] {
  const known = new Set(paths);
  const broken: string[] = [];
  const anchorsOf = cached(1_000, (path) => idsIn(readFileSync(join(folder, path), "utf8")));
  for (const path of paths) {
    // The links of the 404 page start at a host's root.
    if (!path.endsWith(".html") || path === "404.html") continue;
    for (const url of linksIn(readFileSync(join(folder, path), "utf8"))) {
      const [to = "", anchor] = url.split("#");
      const target = to === "" ? path : normalize(join(dirname(path), decodeURIComponent(to)));
      const isAnchor = anchor === undefined || anchorsOf(target).has(decodeURIComponent(anchor));
      const isThere = known.has(target) && isAnchor;
      if (!isThere) broken.push(`${path} → ${url}`);
    }
  }
  return broken;
}

/** Links within the website, as the page writes them. */
function linksIn(html: string): string[] {
  const links = [...html.matchAll(/\s(?:href|src|poster)="([^"]*)"/g)].map(([, url = ""]) => url);
  const sets = [...html.matchAll(/\ssrcset="([^"]*)"/g)].flatMap(([, set = ""]) =>
    set.split(", ").map((candidate) => candidate.split(" ")[0] ?? ""),
  );
  const elsewhere = /^(?:https?:|mailto:|tel:|data:image\/)/;
  return [...links.filter((url) => !elsewhere.test(url)), ...sets];
}

function idsIn(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(/\sid="([^"]*)"/g), ([, id = ""]) => id));
}

import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/**
 * Links of a website's pages that lead to no file, or to an anchor that is not there.
 *
 * @param paths all files of the website, relative to the folder
 */
export function brokenLinks(folder: string, paths: readonly string[]): string[] {
  const known = new Set(paths);
  const broken: string[] = [];
  const anchorsOf = createAnchors(folder);
  for (const path of paths) {
    // The links of the page for lost readers start at a host's root.
    if (!path.endsWith(".html") || path === "404.html") continue;
    for (const url of linksIn(readFileSync(join(folder, path), "utf8"))) {
      const [to = "", anchor] = url.split("#");
      const target = to === "" ? path : normalize(join(dirname(path), decodeURIComponent(to)));
      const isThere = known.has(target) && (!anchor || anchorsOf(target).has(anchor));
      if (!isThere) broken.push(`${path} → ${url}`);
    }
  }
  return broken;
}

/** Links within the website, as the page writes them, without their queries. */
function linksIn(html: string): string[] {
  const links = [...html.matchAll(/\s(?:href|src|poster)="([^"]*)"/g)].map(([, url = ""]) => url);
  const sets = [...html.matchAll(/\ssrcset="([^"]*)"/g)].flatMap(([, set = ""]) =>
    set.split(", ").map((candidate) => candidate.split(" ")[0] ?? ""),
  );
  return [...links, ...sets]
    .filter((url) => !/^(?:[a-z]+:|\/\/)/.test(url))
    .map((url) => url.replaceAll("&amp;", "&").replace(/\?[^#]*/, ""));
}

function createAnchors(folder: string): (path: string) => Set<string> {
  const anchors = new Map<string, Set<string>>();
  return (path) => {
    const known = anchors.get(path);
    if (known !== undefined) return known;
    const html = readFileSync(join(folder, path), "utf8");
    const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => id);
    const found = new Set(ids);
    anchors.set(path, found);
    return found;
  };
}

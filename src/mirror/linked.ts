import type { Catalogue } from "../catalogue/catalogue.ts";
import type { OutputFile } from "../lib/output.ts";

/**
 * Videos, documents and audio files at the paths that their links have at the origin. Returns the endings of their
 * names, the most frequent first.
 */
export function* linkedFiles({
  links,
  routes,
}: Pick<Catalogue, "links" | "routes">): Generator<OutputFile, string[]> {
  const endings = new Map<string, number>();
  for (const { path, blob, below } of links) {
    const ending = path.slice(path.lastIndexOf("/index") + "/index".length);
    endings.set(ending, (endings.get(ending) ?? 0) + 1);
    yield { path, blob, url: `/${routes.root}${below}` };
  }
  return [...endings].sort(([, a], [, b]) => b - a).map(([ending]) => ending);
}

import { keyOf } from "../../lib/digest.ts";
import type { RenderedFile } from "../../lib/output.ts";
import { redirectsFile, redirectsText } from "../../routes/redirects.ts";
import type { Site } from "../site.ts";

/** Where the pages of the origin's website stand in the archive, for servers that answer at its old address. */
export function redirectsPage({ catalogue, lists }: Site): RenderedFile {
  const text = redirectsText(oldPages());
  return { path: redirectsFile, key: keyOf(text), content: () => text };

  function* oldPages(): Generator<[view: string, page: string]> {
    const pages = new Set([...lists.articles, ...lists.galleries].map(({ path }) => path));
    for (const [url, place] of catalogue.viewed()) {
      if (pages.has(place) && !isOfApi(url)) yield [url, place];
    }
  }

  /** Below the mirror root, the API answers. */
  function isOfApi(url: string): boolean {
    const path = URL.canParse(url) ? `${new URL(url).pathname}/` : "";
    return path.startsWith(`/${catalogue.routes.root}/`);
  }
}

import { type OutputFile, textFile } from "../lib/output.ts";
import { sitePaths } from "../routes/site.ts";
import type { Link } from "./pictures.ts";
import { publicUrl, type Site } from "./site.ts";
import type { Named } from "./summaries.ts";
import type { Citation } from "./views.ts";

interface Cited extends Named {
  authors: readonly string[];
  publishedAt: string | null;
  /** Its page at the origin, which is named where the website has no address. */
  view: string | null;
}

/** How to cite a page. The date of the snapshot is not in it, but in a file of its own: a script adds it. */
export function citationOf(
  site: Site,
  { title, path, authors, publishedAt, view }: Cited,
  link: Link,
): Citation {
  const { formats, config } = site;
  const parts = [
    formats.names(authors),
    formats.t("cite.title", { title }),
    config.site.title,
    publishedAt === null ? "" : formats.date(publishedAt),
    publicUrl(site, path) ?? view ?? "",
  ];
  return {
    text: formats.parts(parts.filter((part) => part !== "")),
    snapshot: link(sitePaths.snapshotDate),
  };
}

export function snapshotDateFile({ catalogue, formats }: Site): OutputFile {
  const day = formats.isoDay(catalogue.snapshot.manifest.time);
  return textFile(sitePaths.snapshotDate, `stillpressSnapshot(${JSON.stringify(day)});\n`);
}

import { cached } from "../lib/cached.ts";
import {
  descriptionFile,
  type FilterIndex,
  type MirrorDescription,
} from "../routes/description.ts";
import { parseRedirects, redirectsFile } from "../routes/redirects.ts";
import { createTable } from "../routes/table.ts";
import type { ArchiveFiles, HandlerOptions } from "./archive.ts";

/** What is known of one build. */
export type Build = NonNullable<Awaited<ReturnType<typeof loadBuild>>>;

/** Makes the function that gives the build of some files; undefined where it cannot be read. It remembers the last one. */
export function createBuildReader(options: HandlerOptions) {
  let known: { version: string; build: ReturnType<typeof loadBuild> } | undefined;
  return (files: ArchiveFiles): Promise<Build | undefined> => {
    const version = files.version?.() ?? "";
    if (known?.version === version) return known.build;
    const looked = { version, build: loadBuild({ ...options, files }) };
    known = looked;
    // One that could not be read may be there the next time.
    const forget = (): void => {
      if (known === looked) known = undefined;
    };
    looked.build.then((build) => build ?? forget(), forget);
    return looked.build;
  };
}

async function loadBuild({ files, root, makeImage }: HandlerOptions) {
  const file = await files.open(`${root}/${descriptionFile}`);
  if (file === undefined) return undefined;
  const description = JSON.parse(await file.text()) as MirrorDescription;
  if (makeImage !== undefined && description.originals.length > 0) description.answers = "any";
  const table = createTable(description.rules);
  const indexAt = cached(2, async (path: string): Promise<FilterIndex | undefined> => {
    const index = await files.open(path);
    return index && JSON.parse(await index.text());
  });
  const redirectsAt = cached(1, async () => {
    const known = await files.open(redirectsFile);
    return parseRedirects(known === undefined ? "{}" : await known.text());
  });
  return {
    table,
    description,
    /** Where the pages of the origin's website stand now; older builds do not say. */
    redirects: () => redirectsAt(redirectsFile),
    /** What the index of an index's filters says. */
    filterIndex: (name: "articles" | "galleries") => indexAt(table.filterIndexOf(name)),
  };
}

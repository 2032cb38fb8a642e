import {
  descriptionFile,
  type FilterIndex,
  type MirrorDescription,
} from "../routes/description.ts";
import { createTable, type MirrorTable } from "../routes/table.ts";
import type { HandlerOptions } from "./archive.ts";

/** What is known of one build. */
export interface Build {
  table: MirrorTable;
  description: MirrorDescription;
  filterIndexes: Map<string, Promise<FilterIndex | undefined>>;
}

/** The build that was published when it was last looked at; empty before the first request. */
export interface KnownBuild {
  version?: string;
  build?: Promise<Build | undefined> | undefined;
}

/** The build that is published now; undefined where none can be read. */
export function currentBuild(
  known: KnownBuild,
  options: HandlerOptions,
): Promise<Build | undefined> {
  const version = options.files.version?.() ?? "";
  if (known.build !== undefined && known.version === version) return known.build;
  const build = loadBuild(options);
  known.version = version;
  known.build = build;
  // A build that could not be read may be there the next time.
  const forget = (): void => {
    if (known.build === build) known.build = undefined;
  };
  build.then((loaded) => loaded ?? forget(), forget);
  return build;
}

async function loadBuild({ files, root, makeImage }: HandlerOptions): Promise<Build | undefined> {
  const file = await files.open(`${root}/${descriptionFile}`);
  if (file === undefined) return undefined;
  const description = JSON.parse(await file.text()) as MirrorDescription;
  if (makeImage !== undefined && description.originals.length > 0) description.answers = "any";
  return { table: createTable(description.rules), description, filterIndexes: new Map() };
}

/** What the index of an index's filters says. It is read once for each build. */
export function filterIndexOf(
  { table, filterIndexes }: Build,
  { files }: Pick<HandlerOptions, "files">,
  name: "articles" | "galleries",
): Promise<FilterIndex | undefined> {
  const loaded =
    filterIndexes.get(name) ??
    files
      .open(table.filterIndexOf(name))
      .then(async (file) => file && (JSON.parse(await file.text()) as FilterIndex));
  filterIndexes.set(name, loaded);
  return loaded;
}

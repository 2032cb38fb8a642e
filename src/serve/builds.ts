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
  /** What the index of an index's filters says; it is read once. */
  filterIndex(name: "articles" | "galleries"): Promise<FilterIndex | undefined>;
}

/** Makes the function that gives the build that is published now; undefined where none can be read. */
export function createBuildReader(options: HandlerOptions): () => Promise<Build | undefined> {
  let known: { version: string; build: Promise<Build | undefined> } | undefined;
  return () => {
    const version = options.files.version?.() ?? "";
    if (known?.version === version) return known.build;
    const looked = { version, build: loadBuild(options) };
    known = looked;
    // A build that could not be read may be there the next time.
    const forget = (): void => {
      if (known === looked) known = undefined;
    };
    looked.build.then((build) => build ?? forget(), forget);
    return looked.build;
  };
}

async function loadBuild({ files, root, makeImage }: HandlerOptions): Promise<Build | undefined> {
  const file = await files.open(`${root}/${descriptionFile}`);
  if (file === undefined) return undefined;
  const description = JSON.parse(await file.text()) as MirrorDescription;
  if (makeImage !== undefined && description.originals.length > 0) description.answers = "any";
  const table = createTable(description.rules);
  const indexes = new Map<string, Promise<FilterIndex | undefined>>();
  const readIndex = async (path: string): Promise<FilterIndex | undefined> => {
    const index = await files.open(path);
    return index && (JSON.parse(await index.text()) as FilterIndex);
  };
  return {
    table,
    description,
    filterIndex(name) {
      const index = indexes.get(name) ?? readIndex(table.filterIndexOf(name));
      indexes.set(name, index);
      return index;
    },
  };
}

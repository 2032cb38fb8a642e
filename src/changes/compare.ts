import { existsSync } from "node:fs";
import { join } from "node:path";
import { readNames } from "../catalogue/names.ts";
import type { Config } from "../config.ts";
import { sitePaths } from "../routes/site.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { type Change, type ChangeKind, type Comparison, changesBetween } from "./changes.ts";

interface Compared extends Pick<Comparison, "before" | "after" | "media"> {
  config: Config;
  /** The publish root, where the pages of items are looked for. */
  root: string;
}

/** What two snapshots differ in, as these settings want it told. */
export function compareSnapshots({ config, root, ...stored }: Compared): Generator<Change> {
  const { site, crawl, media } = config;
  const exists = (path: string): boolean => existsSync(join(root, path));
  return changesBetween({
    ...stored,
    volatile: [...crawl.volatile, "rating"],
    unproved: media.unproved,
    pageOf: pageFinder(stored.after, site.permalinks, exists),
  });
}

/** Finds the pages of items. Reads the names of all of them once, when the first is asked for. */
function pageFinder(
  snapshot: SnapshotReader,
  permalinks: Config["site"]["permalinks"],
  exists: (path: string) => boolean,
): (kind: ChangeKind, id: string) => string | null {
  let names: ReturnType<typeof readNames> | undefined;

  function pathOf(kind: ChangeKind, id: string): string | undefined {
    if (kind === "images") return sitePaths.image(id);
    if (kind === "videos" || kind === "documents" || kind === "audio") return undefined;
    names ??= readNames(snapshot, permalinks);
    if (kind === "articles" || kind === "galleries") return names.page(kind, id);
    const name = kind === "tags" ? names.tag(id) : names.category(id);
    return name && (kind === "tags" ? sitePaths.tag(name, 1) : sitePaths.category(name, 1));
  }

  return (kind, id) => {
    const path = pathOf(kind, id);
    return path !== undefined && exists(path) ? path : null;
  };
}

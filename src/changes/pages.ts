import { existsSync } from "node:fs";
import { join } from "node:path";
import { readNames } from "../catalogue/names.ts";
import type { Config } from "../config.ts";
import { sitePaths } from "../routes/site.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Collection } from "../store/records.ts";

/** Finds the pages that are published of items. Reads the names of all of them once, when the first is asked for. */
export function pageFinder(snapshot: SnapshotReader, { site }: Pick<Config, "site">, root: string) {
  let read: ReturnType<typeof readNames> | undefined;

  function pathOf(kind: Collection, id: string): string | undefined {
    if (kind === "images") return sitePaths.image(id);
    if (kind === "videos" || kind === "documents" || kind === "audio") return undefined;
    read ??= readNames(snapshot, site.permalinks);
    if (kind === "articles" || kind === "galleries") return read.page(kind, id);
    const name = kind === "tags" ? read.tag(id) : read.category(id);
    return name && sitePaths[kind === "tags" ? "tag" : "category"](name, 1);
  }

  return (kind: Collection, id: string): string | null => {
    const path = pathOf(kind, id);
    return path !== undefined && existsSync(join(root, path)) ? path : null;
  };
}

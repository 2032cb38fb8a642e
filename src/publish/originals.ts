import { isDeepStrictEqual } from "node:util";
import type { FilesByPath } from "../lib/file-list.ts";
import type { Remark } from "../lib/reporter.ts";
import { subjectOf } from "../media/jobs.ts";
import { shownFiles } from "./canaries.ts";
import type { BuiltFile } from "./manifest.ts";
import { secretInFile } from "./original-text.ts";
import type { BuildRecord } from "./record.ts";
import { openShown, type ShownSnapshot } from "./website.ts";

interface Searched extends ShownSnapshot {
  /** Whether there is something to look for that was not looked for in the last build. */
  searchAll: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * What of a snapshot may be shown, without the originals that say what must not be published; each has a remark.
 * Pictures that were decoded are not read.
 *
 * @param published a build of the same program, with its files by path
 * @returns also `keysHold`, whether the last build was made under the same guard, so that equal keys mean equal bytes
 */
export async function openSearched(
  input: Searched,
  published: { record: BuildRecord; files: FilesByPath<BuiltFile> } | undefined,
) {
  const { store, searchAll, signal } = input;
  const { catalogue, guard } = openShown(input);
  const before = published?.record;
  const isSameGuard = before?.canaries === guard.idsKey;
  const searched = isSameGuard && !searchAll ? published?.files : undefined;
  /** What each file would give away that is not published yet. */
  const found = new Map<string, string | undefined>();
  const remarks = new Map<string, Remark>();
  for (const entry of shownFiles(catalogue)) {
    const { blob, type } = entry.original;
    const isDecoded = entry.renditions.length > 0 && type !== "image/svg+xml";
    const path = catalogue.originalPath(entry);
    if (isDecoded || path === undefined || searched?.get(path)?.key === blob) continue;
    if (!found.has(blob)) {
      const secret = await store.blobs.use(blob, (file) => secretInFile(file, guard, signal));
      found.set(blob, secret);
    }
    const secret = found.get(blob);
    if (secret === undefined) continue;
    const subject = subjectOf(entry);
    const reason = `its file would give away ${secret}: it is not published`;
    remarks.set(subject, { subject, reason });
  }
  const withheld = [...found.keys()].filter((blob) => found.get(blob) !== undefined).sort();
  return {
    guard,
    catalogue: withheld.length === 0 ? catalogue : openShown({ ...input, withheld }).catalogue,
    withheld: { blobs: withheld, remarks: [...remarks.values()] },
    keysHold: isSameGuard && isDeepStrictEqual(before?.withheld, withheld),
  };
}

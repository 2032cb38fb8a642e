import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileSha256 } from "../../../src/lib/digest.ts";
import { walkSorted } from "../../../src/lib/files.ts";
import { readBuildManifest } from "../../../src/publish/manifest.ts";
import { openStore } from "../../../src/store/store.ts";

/** What a folder or a store holds: something that identifies the content, by path or name. */
export type Contents = ReadonlyMap<string, string>;

/** SHA-256 of every file below a folder, by path; of the folder that a link leads to. */
export function treeOf(folder: string): Contents {
  const root = realpathSync(folder);
  return new Map([...walkSorted(root)].map((path) => [path, fileSha256(join(root, path))]));
}

/**
 * Everything that the latest snapshot of a store holds, read to its last byte: the refs of each list with the raw
 * text they lead to, and the files of the media index.
 *
 * @throws StoreError where the store cannot be read
 */
export function snapshotOf(storeFolder: string): Contents {
  const store = openStore(storeFolder, { readOnly: true });
  try {
    const manifest = store.snapshots.latest();
    if (manifest === undefined) return new Map();
    const contents = new Map<string, string>([["complete", String(manifest.complete)]]);
    for (const [name, list] of Object.entries(manifest.lists)) {
      contents.set(name, String(list.count));
      for (const ref of store.snapshots.refs(list)) {
        contents.set(
          `${name} ${ref.id}`,
          `${ref.digest} ${store.objects.readRaw(ref.digest).length}`,
        );
      }
    }
    for (const kind of ["images", "videos", "documents", "audio"] as const) {
      for (const list of [kind, `${kind}.unlisted`] as const) {
        for (const { id } of store.reader(manifest).refs(list)) {
          const entry = store.media.get(kind, id);
          if (entry === undefined) continue;
          const { original, renditions } = entry;
          const blobs = [original.blob, ...renditions.map(({ blob }) => blob)];
          const found = blobs.map((blob) => fileSha256(store.blobs.own.pathOf(blob)));
          contents.set(`file of ${kind} ${id}`, found.join(" "));
        }
      }
    }
    return contents;
  } finally {
    store.close();
  }
}

/** How two contents differ, in one line; undefined where they do not. */
export function differenceOf(found: Contents, wanted: Contents): string | undefined {
  const missing = [...wanted.keys()].filter((name) => !found.has(name));
  const extra = [...found.keys()].filter((name) => !wanted.has(name));
  const changed = [...found].filter(([name, one]) => wanted.has(name) && wanted.get(name) !== one);
  const parts: string[] = [];
  if (missing.length > 0) parts.push(`${missing.length} missing, such as ${missing[0]}`);
  if (extra.length > 0) parts.push(`${extra.length} too many, such as ${extra[0]}`);
  if (changed.length > 0) parts.push(`${changed.length} different, such as ${changed[0]?.[0]}`);
  return parts.length === 0 ? undefined : parts.join("; ");
}

/**
 * Why what `out/public` shows is no whole archive, by its own manifest; undefined where it is, or nothing is shown.
 *
 * @param shown its tree
 */
export function halfPublished(out: string, shown: Contents | undefined): string | undefined {
  if (shown === undefined) return undefined;
  const root = realpathSync(join(out, "public"));
  const listed = readBuildManifest(dirname(root));
  if (listed.size === 0) return "a build without a manifest is published";
  const wanted = new Map([...listed.values()].map(({ path, sha256 }) => [path, sha256]));
  return differenceOf(shown, wanted);
}

/** What an output folder holds after a build. */
export const wholeOutput: ReadonlySet<string> = new Set([
  "builds",
  "deploy",
  "metrics.prom",
  "public",
  "report.json",
  "report.md",
  "reports",
  "review",
  "store",
]);
const leftover =
  /(?:^|\/)(?:staging-[^/]*|incoming|draft\/(?:tasks|rechecked))\/|draft\/links$|\.tmp$|\.packed$|lock\.json/;

/** Files of an output folder that a finished run must not leave behind. */
export function leftoversIn(out: string): string[] {
  return [...walkSorted(out)].filter(
    (path) => leftover.test(path) || !wholeOutput.has(path.split("/")[0] ?? ""),
  );
}

import { dirname } from "node:path/posix";
import { mediaEnding } from "../routes/site.ts";
import type { Routes } from "../routes/table.ts";
import type { MediaEntry } from "../store/media.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Files } from "./files.ts";
import { savedNameOf } from "./saved-names.ts";

/** The videos, documents and audio files of a snapshot that the archive holds, each with its path there. */
export function* mediaFilesIn(snapshot: SnapshotReader, files: Files) {
  for (const kind of ["videos", "documents", "audio"] as const) {
    for (const list of [kind, `${kind}.unlisted`] as const) {
      for (const ref of snapshot.refs(list)) {
        const entry = files.media(kind, ref.id);
        const path = entry && files.originalPath(entry);
        if (entry !== undefined && path !== undefined) yield { kind, ref, entry, path };
      }
    }
  }
}

/** A video, document or audio file at the path that its link has at the origin. */
export interface LinkedFile {
  /** Relative to the publish root. */
  path: string;
  blob: string;
  /** Path of the link below the base, its escapes as they are. */
  below: string;
  /** Name to save it under. */
  name: string;
}

/**
 * Where the links to videos, documents and audio files lead. If `asked`, the path of the URL itself is answered, too.
 * Files whose links differ in the query alone share a path, and are not among the `links`; nor are those whose path must
 * not be shown.
 */
export function locateFiles(
  snapshot: SnapshotReader,
  routes: Routes,
  files: Files,
  hides: (path: string) => boolean,
) {
  const urls: { url: string; path: string; name: string; folder: string; entry: MediaEntry }[] = [];
  const byFolder = new Map<string, LinkedFile | undefined>();
  for (const { kind, ref, entry, path } of mediaFilesIn(snapshot, files)) {
    const { normal, raw } = snapshot.read(kind, ref);
    const { download, web } = normal;
    const name = savedNameOf(entry, raw);
    const { blob, extension } = entry.original;
    for (const url of [download, web]) {
      if (url === null) continue;
      const below = routes.pathBelow(url);
      const linked = below && routes.fileOfLink(below, mediaEnding(extension));
      const folder = linked ? dirname(linked) : "";
      urls.push({ url, path, name, folder, entry });
      if (!below || !linked || hides(linked)) continue;
      const isShared = byFolder.has(folder) && byFolder.get(folder)?.blob !== blob;
      byFolder.set(folder, isShared ? undefined : { path: linked, blob, below, name });
    }
  }
  return {
    urls: urls.map(({ folder, ...rest }) => ({ ...rest, asked: Boolean(byFolder.get(folder)) })),
    links: [...byFolder.values()].filter((file) => file !== undefined),
  };
}

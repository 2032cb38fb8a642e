import { mediaEnding } from "../routes/site.ts";
import type { MediaKind, Routes } from "../routes/table.ts";
import type { MediaEntry } from "../store/media.ts";
import type { SnapshotReader } from "../store/reader.ts";

/** A video, document or audio file at the path that its link has at the origin. */
export interface LinkedFile {
  /** Relative to the publish root. */
  path: string;
  blob: string;
  /** Path of the link below the base, its escapes as they are. */
  below: string;
}

/** Where the links to videos, documents and audio files lead. */
export interface LocatedFiles {
  /** `path` is that of the file; `asked` tells that the path of the URL itself is answered with it, too. */
  urls: { url: string; path: string; asked: boolean }[];
  /** What several files share, because only a query tells them apart, is not among them. */
  links: LinkedFile[];
}

export interface FileSources {
  snapshot: Pick<SnapshotReader, "refs" | "read">;
  routes: Pick<Routes, "pathBelow" | "fileOfLink">;
  media(kind: MediaKind, id: string): MediaEntry | undefined;
  originalPath(entry: MediaEntry): string | undefined;
}

/** Places the videos, documents and audio files of a snapshot. */
export function locateFiles(sources: FileSources): LocatedFiles {
  const found = [...linksIn(sources)];
  const byPath = new Map<string, LinkedFile | undefined>();
  for (const { at, file } of found) {
    if (file === undefined) continue;
    const shared = byPath.has(at) && byPath.get(at)?.blob !== file.blob;
    byPath.set(at, shared ? undefined : file);
  }
  return {
    urls: found.map(({ url, path, at }) => ({ url, path, asked: byPath.get(at) !== undefined })),
    links: [...byPath.values()].filter((file) => file !== undefined),
  };
}

/** Each link to a file; `at` is the same for those with the same path at the origin. */
function* linksIn({ snapshot, routes, media, originalPath }: FileSources): Generator<{
  url: string;
  path: string;
  at: string;
  file: LinkedFile | undefined;
}> {
  for (const kind of ["videos", "documents", "audio"] as const) {
    for (const list of [kind, `${kind}.attached`] as const) {
      for (const ref of snapshot.refs(list)) {
        const { id, normal } = snapshot.read(kind, ref);
        const entry = media(kind, id);
        const path = entry && originalPath(entry);
        if (entry === undefined || path === undefined) continue;
        const { blob, extension } = entry.original;
        for (const url of [normal.download, normal.web]) {
          if (url === null) continue;
          const below = routes.pathBelow(url);
          const linked = below && routes.fileOfLink(below, mediaEnding(extension));
          const file = below && linked ? { path: linked, blob, below } : undefined;
          yield { url, path, at: file?.path.replace(/[^/]*$/, "") ?? "", file };
        }
      }
    }
  }
}

import { urlPath } from "../routes/site.ts";
import type { ArchiveFile, ArchiveFiles } from "./archive.ts";
import { fileInMemory } from "./content.ts";

/** Asks for a file of the publish root by its path in a URL, "/api/v1/mirror.json". */
export type GetFile = (path: string, headers: Record<string, string>) => Promise<Response>;

/** Files up to this size are read at once, as are those whose size is not told, in bytes. */
const atOnce = 256 << 10;

/** How long what was read of the archive counts, in milliseconds: its files may be replaced behind a running program. */
const rereadAfter = 300_000;

/** The files of a publish root that another program sends by their paths. */
export function openFetched(get: GetFile): ArchiveFiles {
  return {
    version: () => String(Math.floor(Date.now() / rereadAfter)),
    // Hosts answer with a page for the path of its folder, which is no file. Every file has an ending.
    open: async (path) =>
      /\.[^./]+$/.test(path) ? await fetched(get, `/${urlPath(path)}`) : undefined,
  };
}

async function fetched(get: GetFile, path: string): Promise<ArchiveFile | undefined> {
  const answer = await get(path, {});
  const { headers } = answer;
  const told = headers.has("content-encoding") ? null : headers.get("content-length");
  const isLarge = Number(told) > atOnce;
  if (answer.status !== 200 || isLarge) await answer.body?.cancel();
  if (answer.status !== 200) return undefined;
  const etag = headers.get("etag") ?? headers.get("last-modified") ?? "";
  const about = {
    etag: etag.replace(/^W\/|"/g, ""),
    type: headers.get("content-type") ?? "application/octet-stream",
  };
  if (!isLarge)
    return fileInMemory({ ...about, bytes: new Uint8Array(await answer.arrayBuffer()) });
  return {
    ...about,
    bytes: Number(told),
    text: async () => (await get(path, {})).text(),
    async body(range) {
      const part = await get(path, range ? { Range: `bytes=${range.start}-${range.end}` } : {});
      if (part.body !== null && part.status === (range ? 206 : 200)) return part.body;
      const bytes = new Uint8Array(await part.arrayBuffer());
      return range ? bytes.subarray(range.start, range.end + 1) : bytes;
    },
  };
}

import type { ArchiveFiles } from "../../src/index.ts";
import { sha256 } from "../../src/lib/digest.ts";

/** An archive in memory, as somebody could keep it in a database or in an object store. */
export function inMemory(files: ReadonlyMap<string, string>): ArchiveFiles {
  return {
    async open(path) {
      const text = files.get(path);
      if (text === undefined) return undefined;
      const bytes = new TextEncoder().encode(text);
      return {
        bytes: bytes.length,
        etag: sha256(bytes),
        type: path.endsWith(".json") ? "application/json" : "text/html",
        text: async () => text,
        body: async (range) => (range ? bytes.subarray(range.start, range.end + 1) : bytes),
      };
    },
  };
}

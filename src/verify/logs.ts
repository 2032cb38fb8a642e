import { dirname, join } from "node:path";
import glob from "fast-glob";
import { readText } from "../lib/files.ts";
import { unseal } from "../lib/sealed.ts";

/** The folders below a store that hold a log. */
export function logFolders(store: string): string[] {
  // These hold no log, and may hold a great many files.
  const ignore = ["**/blobs/**", "**/damaged/**"];
  const found = glob.sync("**/*.ndjson", { cwd: store, ignore, followSymbolicLinks: false });
  const segments = found.filter((path) => /(?:^|\/)\d{6,}\.ndjson$/.test(path));
  return [...new Set(segments.map((path) => join(store, dirname(path))))].sort();
}

/** Path of the draft's own document if its seal does not fit. All that it holds can be asked again. */
export function damagedDraft(store: string): string | undefined {
  const path = join(store, "draft", "draft.json");
  const text = readText(path);
  try {
    if (text !== undefined) unseal(text);
    return undefined;
  } catch {
    return path;
  }
}

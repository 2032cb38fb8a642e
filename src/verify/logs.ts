import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../lib/files.ts";
import { unseal } from "../lib/sealed.ts";

const segment = /^\d{6,}\.ndjson$/;
/** Folders of a store that hold no log, and may hold a great many files. */
const noLogs = new Set(["blobs", "damaged"]);

/** The folders below a store that hold a log. */
export function logFolders(store: string): string[] {
  const found: string[] = [];
  const open = existsSync(store) ? [store] : [];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = readdirSync(folder, { withFileTypes: true });
    if (entries.some(({ name }) => segment.test(name))) found.push(folder);
    for (const entry of entries) {
      if (entry.isDirectory() && !noLogs.has(entry.name)) open.push(join(folder, entry.name));
    }
  }
  return found.sort();
}

/** Path of the draft's own document, where its seal does not fit; nothing is lost with it that cannot be asked again. */
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

import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { readText } from "../lib/files.ts";
import { unseal } from "../lib/sealed.ts";
import type { Finding } from "../publish/check.ts";
import { checkLog } from "../store/log-check.ts";

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

/** Reads every line of a log. Yields what is damaged, with paths relative to the output folder. */
export function* checkLogFolder(out: string, folder: string): Generator<Finding> {
  for (const { path, offset, reason } of checkLog(folder)) {
    yield { path: relative(out, path), reason: `${reason}, at byte ${offset}` };
  }
}

/** Documents beside the logs that can be made anew: what they say is not believed where their seal does not fit. */
const documents = ["draft/draft.json"];

export function damagedDocuments(store: string): string[] {
  return documents
    .map((name) => join(store, name))
    .filter((path) => {
      const text = readText(path);
      if (text === undefined) return false;
      try {
        unseal(text);
        return false;
      } catch {
        return true;
      }
    });
}

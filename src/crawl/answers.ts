import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Validators } from "../api/validators.ts";
import { readText, writeDurably } from "../lib/files.ts";
import { sealed, unseal } from "../lib/sealed.ts";
import { openCacheLog } from "../store/cache-log.ts";

/**
 * What was made of answers to which the origin gave validators, so that it can be asked whether they changed. Only
 * a courtesy: where it is lost, everything is asked for as if for the first time.
 */
export interface Answers {
  get(url: string): Remembered | undefined;
  /** Remembers an answer, or forgets it. */
  put(url: string, remembered: Remembered | undefined): void;
  /** An answer with validators was asked for again; `same` where the origin said that nothing has changed. */
  asked(same: boolean): void;
  /** Hands everything to the operating system. */
  flush(): void;
  /** @param settled whether the crawl came to its end, which is when the benefit is judged */
  close(settled: boolean): void;
}

interface Remembered {
  validators: Validators;
  /** What the crawl made of the answer, as JSON has it. */
  result: unknown;
}

const State = z.object({
  /** Of the settings that decide what is made of an answer. */
  key: z.string(),
  /** Crawls for which nothing is remembered, because it was of no use. */
  rest: z.int().min(0),
});

/** So many answers that changed, and not one that did not, mean that this origin's validators are of no use. */
const enough = 20;
/** Crawls until they are tried again. */
const restFor = 30;
/** Above this the file holds mostly what is out of date. */
const maxBytes = 1 << 30;

/** Opens the remembered answers of a store, which `folder` holds alone; those of other settings are dropped. */
export function openAnswers(folder: string, key: string): Answers {
  const statePath = join(folder, "state.json");
  const before = readState(statePath);
  if (before?.key !== key) rmSync(folder, { recursive: true, force: true });
  const rest = before?.key === key ? before.rest : 0;
  const log = rest > 0 ? undefined : openCacheLog(join(folder, "answers"));
  let same = 0;
  let changed = 0;

  return {
    get(url) {
      const text = log?.read(url);
      return text === undefined || text === "null" ? undefined : (JSON.parse(text) as Remembered);
    },
    put(url, remembered) {
      const text = JSON.stringify(remembered ?? null);
      const before = log?.read(url) ?? "null";
      if (before !== text) log?.append(url, text);
    },
    asked(nothingNew) {
      if (nothingNew) same++;
      else changed++;
    },
    flush: () => log?.flush(),
    close(settled) {
      const useless = same === 0 && changed >= enough;
      const tooLarge = (log?.bytes ?? 0) > maxBytes;
      log?.close();
      if (!settled) return;
      if (useless || tooLarge) rmSync(folder, { recursive: true, force: true });
      const state = { key, rest: useless ? restFor : Math.max(0, rest - 1) };
      const text = sealed(state);
      if (readText(statePath) !== text) writeDurably(statePath, text);
    },
  };
}

function readState(path: string): z.infer<typeof State> | undefined {
  try {
    return State.safeParse(unseal(readText(path) ?? "")).data;
  } catch {
    return undefined;
  }
}

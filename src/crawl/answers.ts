import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Validators } from "../api/validators.ts";
import { readText, writeDurably } from "../lib/files.ts";
import { sealed, unseal } from "../lib/sealed.ts";
import { openSegmentLog } from "../store/log.ts";
import type { CrawlContext } from "./context.ts";
import { keepable } from "./ingest.ts";

/**
 * What was made of answers to which the origin gave validators, so that it can be asked whether they changed. Only
 * a courtesy: where it is lost, everything is asked for as if for the first time.
 */
export interface Answers {
  get(url: string): Remembered | undefined;
  put(url: string, remembered: Remembered): void;
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
  const log = rest > 0 ? undefined : openSegmentLog(join(folder, "answers"));
  let same = 0;
  let changed = 0;
  return {
    get(url) {
      const text = log?.read(url);
      return text === undefined ? undefined : (JSON.parse(text) as Remembered);
    },
    put: (url, remembered) => log?.append(url, JSON.stringify(remembered)),
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

/** An answer, without signed parameters in its text. */
export interface KeptAnswer {
  text: string;
  /** The whole answer parsed, links still signed. */
  value: unknown;
}

/**
 * What `read` makes of an answer; or what it made of it the last time, where the origin says that nothing has
 * changed since.
 *
 * @param usable whether the store still holds what a remembered result names
 * @throws ApiError as the client and `read` do
 */
export async function askAgain<T>(
  { client, answers }: CrawlContext,
  url: string,
  usable: (result: T) => boolean,
  read: (answer: KeptAnswer) => T,
): Promise<T> {
  const known = answers.get(url);
  const ask = known !== undefined && usable(known.result as T);
  const answer = ask ? await client.jsonUnless(url, known.validators) : await client.json(url);
  if (ask) answers.asked(answer === undefined);
  if (answer === undefined) return known?.result as T;
  const result = read({ text: keepable(answer.text), value: answer.value });
  const { validators } = answer;
  const same = JSON.stringify(known?.validators) === JSON.stringify(validators);
  if (validators !== undefined && !same) answers.put(url, { validators, result });
  return result;
}

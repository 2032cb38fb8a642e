import { readJson } from "../targets/reading.ts";
import { type Target, textObject } from "../targets/target.ts";
import { Answer } from "./job.ts";

/*
 * Answers to jobs lie beside the blobs. A worker keeps its answer before it gives it, so that nothing is encoded twice
 * when the queue, the run or both are gone by then. They can be removed at any time: what a run took over stands in its
 * store.
 */

export const resultsFolder = "done/";
export const resultKey = (id: string): string => `${resultsFolder}${id.slice(-2)}/${id}.json`;

/** Undefined where there is none that can be read. */
export async function readResult(target: Target, id: string): Promise<Answer | undefined> {
  return Answer.safeParse(await readJson(target, resultKey(id))).data;
}

export async function keepResult(target: Target, id: string, answer: Answer): Promise<void> {
  await target.put(textObject(resultKey(id), JSON.stringify(answer)));
}

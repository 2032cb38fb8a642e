import { text } from "node:stream/consumers";
import { type Target, textObject } from "../targets/target.ts";
import { Answer } from "./job.ts";

/** Where answers lie at the place. */
export const resultsFolder = "done/";
const keyFor = (id: string): string => `${resultsFolder}${id.slice(-2)}/${id}.json`;

export type Results = ReturnType<typeof openResults>;

/**
 * Answers to jobs, beside the blobs. A worker keeps its answer before it gives it, so that nothing is encoded twice when
 * the queue, the run or both are gone by then. They can be removed at any time: what a run took over stands in its store.
 */
export function openResults(target: Target) {
  return {
    /** Undefined where there is none that can be read. */
    async read(id: string): Promise<Answer | undefined> {
      const found = await target.read(keyFor(id), ({ body }) => text(body));
      try {
        return found === undefined ? undefined : Answer.parse(JSON.parse(found));
      } catch {
        return undefined;
      }
    },
    keep: (id: string, answer: Answer): Promise<void> =>
      target.put(textObject(keyFor(id), JSON.stringify(answer))),
    remove: (id: string): Promise<void> => target.remove(keyFor(id)),
    close: (): Promise<void> => target.close(),
  };
}

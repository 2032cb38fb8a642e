import type { Target } from "../targets/target.ts";
import { ownFolder } from "./deployed.ts";
import type { UploadPlan } from "./plan.ts";
import { readSummed, summedObject } from "./summed.ts";

const sendingKey = `${ownFolder}sending.ndjson`;

/**
 * Notes at the target which keys a run is about to write, before it does: if it does not come to its end, nobody else
 * knows that they are other than the manifest says, or there at all.
 *
 * @param earlier keys of runs before this one that did not come to their end
 */
export async function noteSending(
  target: Target,
  { steps }: UploadPlan,
  earlier: ReadonlySet<string>,
): Promise<void> {
  const keys = new Set(earlier);
  for (const step of steps) for (const { object } of step) keys.add(object.key);
  const lines = Array.from(keys, (path) => Buffer.from(`${JSON.stringify({ path })}\n`));
  await target.put(summedObject(sendingKey, { stillpressSending: 1 }, lines));
}

/** The keys that runs which did not come to their end may have written. Without a list, they had written nothing. */
export async function readSending(target: Target): Promise<ReadonlySet<string>> {
  const found = await target.read(sendingKey, async ({ body }) => {
    const keys = new Set<string>();
    await readSummed(body, (line) => {
      keys.add((JSON.parse(line.toString()) as { path: string }).path);
    });
    return keys;
  });
  return found ?? new Set();
}

/** The manifest knows everything again. */
export async function forgetSending(target: Target): Promise<void> {
  await target.remove(sendingKey);
}

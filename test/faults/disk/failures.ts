import { exitCodes, StillpressError } from "../../../src/errors.ts";
import { isErrno } from "../../../src/lib/files.ts";
import { type Dice, dice } from "../../../src/lib/random.ts";
import { describe, finalState } from "./check.ts";
import { type Attempt, attemptNights, restart, type Tell, theStart } from "./crashes.ts";
import { loseFlushed } from "./ledger.ts";
import type { Model } from "./power.ts";
import { type CallKind, shortWrite } from "./trouble.ts";

/** How calls can fail, and which. */
const failures: Record<string, readonly CallKind[]> = {
  ENOSPC: ["create", "write", "sync", "makeFolder", "rename", "link"],
  EIO: ["open", "read", "write", "cut", "sync", "close", "list", "rename", "remove"],
  EMFILE: ["open", "create", "list"],
  [shortWrite]: ["write"],
};

export interface FailureOptions {
  seed: number;
  /** What becomes of the machine after the failure. */
  models: readonly Model[];
  note: Tell;
  violate: Tell;
}

export interface FailureCount {
  /** Calls in undisturbed nights. */
  calls: number;
  /** Failures by code. */
  injected: Record<string, number>;
  /** Runs that did not need what failed. */
  unmoved: number;
}

/** Lets each call fail once, in each way in which it can, and runs again without that. */
export async function failEverywhere({
  seed,
  models,
  note,
  violate,
}: FailureOptions): Promise<FailureCount> {
  const whole = await attemptNights(theStart(), {}, violate);
  const expected = finalState(whole.disk);
  const { calls } = whole.disk;
  const count: FailureCount = { calls: calls.length, injected: {}, unmoved: 0 };
  for (const [at, kind] of calls.entries()) {
    const failAt = at + 1;
    if (failAt % 20 === 0) note(`failure of call ${failAt} of ${calls.length}`);
    for (const [code, kinds] of Object.entries(failures)) {
      if (!kinds.includes(kind)) continue;
      const tell = (text: string): void => violate(`${code} of ${kind}, call ${failAt}: ${text}`);
      count.injected[code] = (count.injected[code] ?? 0) + 1;
      const attempt = await attemptNights(theStart(), { failAt, code }, tell);
      if (attempt.error === undefined) count.unmoved++;
      else if (!isOfDisk(attempt.error, code)) tell(`it ends with ${describe(attempt.error)}`);
      for (const model of models) {
        await runAgain(attempt, model, expected, dice(seed, failAt), tell);
      }
    }
  }
  return count;
}

/** Whether a failure is told as what it is. */
function isOfDisk(error: unknown, code: string): boolean {
  if (error instanceof StillpressError) return error.exitCode === exitCodes.disk;
  return isErrno(error, code);
}

/** What was acknowledged must be there at once, after a power cut, and after one that follows the next run. */
async function runAgain(
  attempt: Attempt,
  model: Model,
  expected: string,
  random: Dice,
  tell: Tell,
): Promise<void> {
  // What was only handed over to a disk that fails may be gone.
  loseFlushed(attempt.ledger);
  const after = await restart(attempt, model, random, {}, tell);
  if (after.error !== undefined) return tell(`the next run fails: ${describe(after.error)}`);
  if (finalState(after.disk) !== expected) tell("the end is another one");
  if (model !== "process") return;
  const late = await restart(after, "strict", random, {}, (text) => tell(`late cut: ${text}`));
  if (finalState(late.disk) !== expected) tell("the end is another one after a late cut");
}

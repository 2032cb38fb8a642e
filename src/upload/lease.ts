import { randomUUID } from "node:crypto";
import { z } from "zod";
import { exitCodes, TargetError } from "../errors.ts";
import { sleepOn, systemClock } from "../lib/clock.ts";
import { keyOf } from "../lib/digest.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { startOf } from "../lib/pieces.ts";
import type { Reporter } from "../lib/reporter.ts";
import { Holder, isAlive, thisProcess } from "../store/lock.ts";
import { type Target, textObject } from "../targets/target.ts";

/** Everybody can read what lies at a target: of this machine it has digests. */
const LeaseText = z.object({
  run: z.string(),
  /** Grows while the run goes on: clocks of machines differ. */
  beat: z.int(),
  /** Whether the run stopped before its end, and holds the lease no longer. */
  ended: z.boolean(),
  holder: Holder,
});
type LeaseText = z.infer<typeof LeaseText>;

export const leaseKey = ".stillpress/publishing.json";

/** How a run waits for others at the same target, in milliseconds. */
export const leaseTimes = {
  /** Between two signs of life. */
  beatMs: 15_000,
  /** A run of another machine that gives none for so long is gone. */
  silentMs: 60_000,
  /** Between two looks at such a run. */
  lookMs: 5_000,
  /** In which runs that began at once see each other, where the store has no conditional writes. */
  meetMs: 2_000,
};
export type LeaseTimes = typeof leaseTimes;

export interface Lease {
  /** Whether the run before this one did not come to its end. */
  afterUnfinished: boolean;
  /** Says that the target is no longer what its manifest says, until the run comes to its end. */
  beginWriting(): void;
  /** @throws TargetError with exit code 6 where another run has taken it over */
  ensure(): Promise<void>;
  /** @param isFinished whether the target has all that the run wanted */
  release(isFinished: boolean): Promise<void>;
}

export interface LeaseOptions {
  reporter: Reporter;
  times?: LeaseTimes | undefined;
  signal?: AbortSignal | undefined;
  /** Hears that another run has taken the lease over. */
  onLost: (error: TargetError) => void;
}

/**
 * Takes the right to write to a target, which one run has at a time. A run that was killed leaves it: on the same machine
 * that shows at once, on another one when it gives no sign of life for a minute.
 *
 * @throws TargetError with exit code 6 while another run has it
 * @throws the signal's reason
 */
export async function takeLease(target: Target, options: LeaseOptions): Promise<Lease> {
  const { times = leaseTimes, onLost } = options;
  const own: LeaseText = { run: randomUUID(), beat: 0, ended: false, holder: anonymous() };
  const afterUnfinished = await acquire(target, own, { ...options, times });
  let isUnfinished = afterUnfinished;
  const ensure = async (): Promise<void> => {
    const found = await readLease(target);
    if (found?.text?.run !== own.run) throw inUse(target, "has taken it over");
  };
  const beating = setInterval(() => {
    own.beat++;
    ensure()
      .then(() => target.put(objectOf(own)))
      .catch((error: unknown) => {
        if (error instanceof TargetError && error.exitCode === exitCodes.locked) onLost(error);
      });
  }, times.beatMs).unref();
  return {
    afterUnfinished,
    beginWriting() {
      isUnfinished = true;
    },
    ensure,
    async release(isFinished) {
      clearInterval(beating);
      const found = await readLease(target);
      if (found?.text?.run !== own.run) return;
      if (isFinished || !isUnfinished) await target.remove(leaseKey);
      else await target.put(objectOf({ ...own, ended: true }));
    },
  };
}

/** Returns whether the run that had it before did not come to its end. */
async function acquire(
  target: Target,
  own: LeaseText,
  options: LeaseOptions & { times: LeaseTimes },
) {
  const first = await readLease(target);
  if (first !== undefined) await untilGone(target, first, own, options);
  // It may have ended meanwhile.
  const found = first && (await readLease(target));
  const written = await target.putIf(objectOf(own), found?.version ?? null);
  // An answer that was lost makes a second attempt, which the first one's lease refuses.
  if (written === "refused" && !(await isOurs(target, own))) throw inUse(target, "was faster");
  if (written === "unsupported") await target.put(objectOf(own));
  // Some stores take conditions and do not heed them.
  const heeds =
    written !== "unsupported" && (await target.putIf(objectOf(own), null)) === "refused";
  if (!heeds) await sleepOn(systemClock, options.times.meetMs, options.signal);
  if (!heeds && !(await isOurs(target, own))) throw inUse(target, "was faster");
  return found !== undefined;
}

async function isOurs(target: Target, own: LeaseText): Promise<boolean> {
  return (await readLease(target))?.text?.run === own.run;
}

/** @throws TargetError where the run goes on */
async function untilGone(
  target: Target,
  first: FoundLease,
  own: LeaseText,
  { reporter, times, signal }: LeaseOptions & { times: LeaseTimes },
): Promise<void> {
  if (first.text?.ended) return;
  if (first.text !== undefined && !isAlive(first.text.holder, own.holder, 0)) return;
  if (isHere(first.text, own)) throw inUse(target, "goes on, on this machine");
  reporter.info(`${target.name}: another run has begun there; waiting to see whether it goes on`);
  for (let waited = 0; waited < times.silentMs; waited += times.lookMs) {
    await sleepOn(systemClock, times.lookMs, signal);
    const now = await readLease(target);
    if (now === undefined || now.text?.ended) return;
    if (now.version !== first.version) throw inUse(target, "goes on there");
  }
}

/** Whether the processes of a lease can be asked for here. */
function isHere(text: LeaseText | undefined, { holder }: LeaseText): boolean {
  return text?.holder.host === holder.host && text.holder.namespace === holder.namespace;
}

interface FoundLease {
  /** Undefined where it cannot be read. */
  text: LeaseText | undefined;
  version: string;
}

async function readLease(target: Target): Promise<FoundLease | undefined> {
  return await target.read(leaseKey, async ({ body, version }) => {
    const text = (await startOf(body, 100_000)).toString();
    return { text: orUndefined(() => LeaseText.parse(JSON.parse(text))), version };
  });
}

function objectOf(text: LeaseText) {
  return textObject(leaseKey, `${JSON.stringify(text)}\n`);
}

/** This process, for others of the same machine only. */
function anonymous(): Holder {
  const { host, boot, namespace, ...rest } = thisProcess();
  const digest = (text: string | undefined) => text && keyOf("lease", text);
  return { ...rest, host: keyOf("lease", host), boot: digest(boot), namespace: digest(namespace) };
}

function inUse({ name }: Target, what: string): TargetError {
  return new TargetError(`${name}: another run publishes there, and ${what}`, {
    exitCode: exitCodes.locked,
    hint: "wait for it to end, then run again",
  });
}

import { type Dice, dice } from "../../../src/lib/random.ts";
import { checkStore, describe, finalState } from "./check.ts";
import { copyOf, type Ledger, loseFlushed, newLedger } from "./ledger.ts";
import { runNight } from "./nights.ts";
import { type FolderNode, newFolder } from "./nodes.ts";
import { nights } from "./origin.ts";
import { type Model, models, survivorsOf } from "./power.ts";
import { type SimulatedDisk, simulateDisk } from "./simulated.ts";
import { Crash, type Trouble } from "./trouble.ts";

export type Tell = (text: string) => void;

/** A disk on which nights were run, until the last one or until something went wrong. */
export interface Attempt {
  disk: SimulatedDisk;
  ledger: Ledger;
  /** Night that is to be run next: the one in which it went wrong. */
  night: number;
  /** Processes so far. */
  starts: number;
  /** Name of the time for which the machine has run. */
  boot: string;
  /** What went wrong; undefined where nothing did. */
  error: unknown;
}

/** Where an attempt begins. */
export interface Beginning {
  root: FolderNode;
  ledger: Ledger;
  night: number;
  starts: number;
  boot: string;
  /** Tasks that may not be done again. */
  known: ReadonlySet<string>;
}

/** The first night, on an empty disk. */
export const theStart = (): Beginning => ({
  root: newFolder(),
  ledger: newLedger(),
  night: 0,
  starts: 0,
  boot: "first boot",
  known: new Set(),
});

/** Runs the nights that are left. */
export async function attemptNights(
  { root, ledger, night, starts, boot, known }: Beginning,
  trouble: Trouble,
  violate: Tell,
): Promise<Attempt> {
  const disk = simulateDisk(root, trouble);
  const attempt: Attempt = { disk, ledger, night, starts, boot, error: undefined };
  try {
    for (; attempt.night < nights.length; attempt.night++) {
      const run = attempt.starts++;
      const mustKnow = attempt.night === night ? known : new Set<string>();
      await runNight(attempt.night, { disk, ledger, run, boot, known: mustKnow, violate });
    }
  } catch (error) {
    // Who meets a crash where any failure is as good as another tells something else of it.
    attempt.error = disk.crashed ? new Crash("the machine has stopped") : error;
  }
  return attempt;
}

/** Looks at what a crash left, and goes on with it. */
export async function restart(
  { disk, ledger: before, night, starts, boot: lastBoot }: Attempt,
  model: Model,
  random: Dice,
  trouble: Trouble,
  violate: Tell,
): Promise<Attempt> {
  const root = survivorsOf(disk.root, model, random);
  const ledger = copyOf(before);
  if (model !== "process") loseFlushed(ledger);
  checkStore(simulateDisk(root), { ledger, violate });
  const known = new Set(ledger.flushed.names);
  const boot = model === "process" ? lastBoot : `boot before process ${starts}`;
  return await attemptNights({ root, ledger, night, starts, boot, known }, trouble, violate);
}

export interface CrashOptions {
  seed: number;
  /** How often each crash point is tried in each model, with other random choices. */
  rounds: Record<Model, number>;
  /** Whether the run after a crash is struck by a second one, at a random place. */
  twice: boolean;
  note: Tell;
  violate: Tell;
}

export interface CrashCount {
  /** Changes to the disk in undisturbed nights. */
  changes: number;
  /** Crashes by model. */
  points: Record<Model, number>;
  /** Crashes that struck the run after a crash. */
  second: number;
  /** Power cuts after a run that went on where a killed one had stopped. */
  late: number;
}

/** Stops the machine before each change to the disk, starts it again on what each model leaves, and goes on. */
export async function crashEverywhere(options: CrashOptions): Promise<CrashCount> {
  const { seed, rounds, twice, note, violate } = options;
  const whole = await attemptNights(theStart(), {}, violate);
  const expected = finalState(whole.disk);
  const { changes } = whole.disk;
  const points = { process: 0, strict: 0, torn: 0, reordered: 0 };
  const count: CrashCount = { changes, points, second: 0, late: 0 };

  /** Starts again after a crash, and compares what comes of it in the end. */
  async function goOn(
    struck: Attempt,
    model: Model,
    random: Dice,
    tell: Tell,
    again?: number,
  ): Promise<void> {
    const trouble = again === undefined ? {} : { crashAt: again, lastShare: random.share() };
    const after = await restart(struck, model, random, trouble, tell);
    if (after.error instanceof Crash) {
      count.second++;
      const other = random.pick(models);
      return await goOn(after, other, random, (text) => tell(`then ${other} at ${again}: ${text}`));
    }
    if (after.error !== undefined) tell(`the next run fails: ${describe(after.error)}`);
    else if (finalState(after.disk) !== expected) tell("the end is another one");
    else if (model === "process") {
      // What a killed process left to be made durable, the next one may not take for durable.
      count.late++;
      const late = await restart(after, "strict", random, {}, (text) => tell(`late cut: ${text}`));
      if (finalState(late.disk) !== expected) tell("the end is another one after a late cut");
    }
  }

  for (let crashAt = 1; crashAt <= changes; crashAt++) {
    if (crashAt % 20 === 0) note(`crash at change ${crashAt} of ${changes}`);
    const random = dice(seed, crashAt);
    const trouble = { crashAt, lastShare: random.share() };
    const struck = await attemptNights(theStart(), trouble, violate);
    for (const model of models) {
      for (let round = 0; round < rounds[model]; round++) {
        const where = `${model}, change ${crashAt}, round ${round}`;
        const again = twice ? 1 + random.roll(changes) : undefined;
        await goOn(struck, model, random, (text) => violate(`${where}: ${text}`), again);
        count.points[model]++;
      }
    }
  }
  return count;
}

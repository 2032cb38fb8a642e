import { join } from "node:path";
import { startOrigin } from "../../../src/demo/origin.ts";
import { connectionFaults } from "../network/connection.ts";
import type { Fault } from "../network/fault.ts";
import { type Case, casesOf } from "../network/faults.ts";
import { type Lane, openLane, type Target } from "../network/lane.ts";
import { runWithFaults } from "../network/persistent.ts";
import { servedContent, servedOptions } from "../network/served.ts";
import type { Stage } from "../network/stage.ts";
import { createTally, isRight, type Tally } from "../network/tally.ts";
import type { FaultContext, Finding, Scenario } from "../scenario.ts";

/** Runs side by side: most of the time goes into waiting for what hangs. */
const laneCount = 6;
/** A share of all cases; the long form has all faults of the connection beside it. */
const maxCases = 2_000;
/** Answers that a fault hits in one run; half as many once a run with it did not make good all of them. */
const together = { short: 8, long: 24 };

/** Whatever happens to an answer, a run ends complete and right, or says that it did not. */
export const network: Scenario = {
  name: "network",
  what: "a fault at any answer leaves a complete archive that is right, or one that is named incomplete",
  async run(context) {
    const content = await servedContent(context.long ? 540 : 60);
    const origin = await startOrigin({ ...servedOptions, content });
    const lanes: Lane[] = [];
    try {
      for (let n = 0; n < laneCount; n++) {
        lanes.push(await openLane(origin, join(context.folder, `lane-${n}`)));
      }
      const once = await hitAll(lanes, context);
      const always = await runWithFaults(origin, context.folder);
      return {
        figures: [...once.figures, ...always.figures],
        violations: [...once.violations, ...always.violations],
      };
    } finally {
      for (const lane of lanes) await lane.close();
      await origin.close();
    }
  },
};

async function hitAll(lanes: readonly Lane[], context: FaultContext): Promise<Finding> {
  const [first] = lanes;
  if (first === undefined) throw new RangeError("no lane to run in");
  const all = casesOf(first);
  const sample = sampleOf(all, context.seed);
  // Each answer with each fault of the connection, of which there are more than twenty.
  const ofConnection = context.long
    ? all.filter(({ fault }) => connectionFaults.includes(fault))
    : [];
  const cases = [...new Set([...ofConnection, ...sample])];
  const tally = createTally();
  const most = context.long ? together.long : together.short;
  const sizes = new Map<Fault, number>();
  let runs = 0;
  process.on("uncaughtException", tally.escaped).on("unhandledRejection", tally.escaped);
  try {
    const queue = groupsOf(cases, most)[Symbol.iterator]();
    let done = 0;
    const work = async (lane: Lane): Promise<void> => {
      for (const group of queue) {
        const made = await hitGroup(lane, group, sizes, tally);
        runs += made;
        done += group.targets.length;
        context.note(`${done} of ${cases.length}, ${tally.broken} broke a rule`);
      }
    };
    await Promise.all(lanes.map(work));
  } finally {
    process.off("uncaughtException", tally.escaped).off("unhandledRejection", tally.escaped);
  }
  const faults = new Set(cases.map(({ fault }) => fault.name)).size;
  const { figures, violations } = tally.finding();
  const size =
    `${cases.length} answers of a crawl of ${first.targets.length} requests hit by one of ${faults} faults, of ` +
    `${all.length} possible hits; ${runs} runs`;
  return { figures: [size, ...figures], violations };
}

/** Every nth case, so that each fault and each answer has its share; another share for another seed. */
function sampleOf(cases: readonly Case[], seed: number): Case[] {
  const step = Math.max(1, Math.ceil(cases.length / maxCases));
  return cases.filter((_, at) => at % step === seed % step);
}

/** Answers of one stage that one fault hits. */
interface Group {
  fault: Fault;
  stage: Stage;
  targets: Target[];
}

/** The same cases, those of a fault and a stage together, each group's answers far from each other. */
function groupsOf(cases: readonly Case[], size: number): Group[] {
  const kinds = new Map<string, Group>();
  for (const { fault, target } of cases) {
    const name = `${fault.name}\n${target.stage}`;
    const group = kinds.get(name) ?? { fault, stage: target.stage, targets: [] };
    kinds.set(name, group);
    group.targets.push(target);
  }
  return [...kinds.values()].flatMap((group) => partsOf(group, size));
}

/** A group in parts of no more than `size` answers, each part's far from each other. */
function partsOf({ targets, ...kind }: Group, size: number): Group[] {
  const count = Math.ceil(targets.length / size);
  return Array.from({ length: count }, (_, n) => ({
    ...kind,
    targets: targets.filter((_, at) => at % count === n),
  }));
}

/**
 * Runs a stage with a fault at several answers. Where the result is complete and right, each of the hits was made
 * good; otherwise half as many are hit at a time, in the end each in a run of its own.
 *
 * @returns how many runs it took
 */
async function hitGroup(
  lane: Lane,
  group: Group,
  sizes: Map<Fault, number>,
  tally: Tally,
): Promise<number> {
  const { fault, stage, targets } = group;
  const [first] = targets;
  if (first === undefined) return 0;
  if (targets.length === 1) return await hitOne(lane, { fault, target: first }, tally);
  let runs = 0;
  if (targets.length <= (sizes.get(fault) ?? targets.length)) {
    runs++;
    const { outcome, hit } = await lane.hit(fault, stage, targets);
    if (isRight(outcome)) {
      for (const target of targets)
        tally.add({ fault, target }, outcome, hit.has(target), undefined);
      return runs;
    }
    sizes.set(fault, Math.ceil(targets.length / 2));
  }
  for (const part of partsOf(group, sizes.get(fault) ?? 1)) {
    runs += await hitGroup(lane, part, sizes, tally);
  }
  return runs;
}

/** Hits one answer of a run. @returns how many runs it took */
async function hitOne(lane: Lane, { fault, target }: Case, tally: Tally): Promise<number> {
  const { outcome, hit } = await lane.hit(fault, target.stage, [target]);
  // The next night, where this one leaves something to be made good.
  const open = outcome.kind !== "broken" && !isRight(outcome);
  const next = open ? await lane.next(target.stage) : undefined;
  tally.add({ fault, target }, outcome, hit.has(target), next);
  return next === undefined ? 1 : 2;
}

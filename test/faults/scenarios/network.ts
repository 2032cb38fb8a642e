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
/** Answers that a fault hits in one run, as long as all of them are made good. */
const together = 8;

/** Whatever happens to an answer, a run ends complete and right, or says that it did not. */
export const network: Scenario = {
  name: "network",
  what: "a fault at any answer leaves a complete archive that is right, or one that is named incomplete",
  async run(context) {
    const content = await servedContent(context.long ? 500 : 60);
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
  const alone = new Set<Fault>();
  let runs = 0;
  process.on("uncaughtException", tally.escaped).on("unhandledRejection", tally.escaped);
  try {
    const queue = groupsOf(cases)[Symbol.iterator]();
    let done = 0;
    const work = async (lane: Lane): Promise<void> => {
      for (const group of queue) {
        const made = await hitGroup(lane, group, alone, tally);
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
function groupsOf(cases: readonly Case[]): Group[] {
  const kinds = new Map<string, Group>();
  for (const { fault, target } of cases) {
    const name = `${fault.name}\n${target.stage}`;
    const group = kinds.get(name) ?? { fault, stage: target.stage, targets: [] };
    kinds.set(name, group);
    group.targets.push(target);
  }
  return [...kinds.values()].flatMap(({ targets, ...kind }) => {
    const count = Math.ceil(targets.length / together);
    return Array.from({ length: count }, (_, n) => ({
      ...kind,
      targets: targets.filter((_, at) => at % count === n),
    }));
  });
}

/**
 * Runs a stage with a fault at several answers. Where the result is complete and right, each of the hits was made
 * good; otherwise, and from then on for this fault, each answer is hit in a run of its own.
 *
 * @returns how many runs it took
 */
async function hitGroup(
  lane: Lane,
  { fault, stage, targets }: Group,
  alone: Set<Fault>,
  tally: Tally,
): Promise<number> {
  let runs = 0;
  if (targets.length > 1 && !alone.has(fault)) {
    runs++;
    const { outcome, hit } = await lane.hit(fault, stage, targets);
    if (isRight(outcome)) {
      for (const target of targets)
        tally.add({ fault, target }, outcome, hit.has(target), undefined);
      return runs;
    }
    alone.add(fault);
  }
  for (const target of targets) {
    runs++;
    const { outcome, hit } = await lane.hit(fault, stage, [target]);
    // The next night, where this one leaves something to be made good.
    const open = outcome.kind !== "broken" && !isRight(outcome);
    const next = open ? await lane.next(stage) : undefined;
    tally.add({ fault, target }, outcome, hit.has(target), next);
  }
  return runs;
}

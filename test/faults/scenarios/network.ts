import { join } from "node:path";
import { startOrigin } from "../../../src/demo/origin.ts";
import { type Case, casesOf } from "../network/faults.ts";
import { type Lane, openLane } from "../network/lane.ts";
import { runWithFaults } from "../network/persistent.ts";
import { servedContent, servedOptions } from "../network/served.ts";
import { createTally, isRight, type Tally } from "../network/tally.ts";
import type { FaultContext, Finding, Scenario } from "../scenario.ts";

/** Runs side by side: most of the time goes into waiting for what hangs. */
const laneCount = 6;
/** Of the short form. */
const maxCases = 800;

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
  const cases = context.long ? all : sampleOf(all, context.seed);
  const tally = createTally();
  process.on("uncaughtException", tally.escaped).on("unhandledRejection", tally.escaped);
  try {
    const queue = cases[Symbol.iterator]();
    let done = 0;
    const work = async (lane: Lane): Promise<void> => {
      for (const one of queue) {
        await hitOne(lane, one, tally);
        context.note(`${++done} of ${cases.length}, ${tally.broken} broke a rule`);
      }
    };
    await Promise.all(lanes.map(work));
  } finally {
    process.off("uncaughtException", tally.escaped).off("unhandledRejection", tally.escaped);
  }
  const faults = new Set(cases.map(({ fault }) => fault.name)).size;
  const { figures, violations } = tally.finding();
  const size =
    `${cases.length} runs of ${first.targets.length} requests with one fault each, of ` +
    `${all.length} possible ones; ${faults} faults`;
  return { figures: [size, ...figures], violations };
}

/** Every nth case, so that each fault and each answer has its share; another share for another seed. */
function sampleOf(cases: readonly Case[], seed: number): Case[] {
  const step = Math.max(1, Math.ceil(cases.length / maxCases));
  return cases.filter((_, at) => at % step === seed % step);
}

/** A run with a fault, and the next night where that leaves something to be made good. */
async function hitOne(lane: Lane, one: Case, tally: Tally): Promise<void> {
  const { outcome, hit } = await lane.hit(one.fault, one.target);
  const open = outcome.kind !== "broken" && !isRight(outcome);
  tally.add(one, outcome, hit, open ? await lane.next(one.target.stage) : undefined);
}

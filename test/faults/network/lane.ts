import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../../src/config.ts";
import type { Origin } from "../../../src/demo/origin.ts";
import { snapshotOf } from "../support/trees.ts";
import type { Fault } from "./fault.ts";
import { type Answer, startProxy } from "./proxy.ts";
import { configOf, type Outcome, runStage, type Stage } from "./stage.ts";

/** An answer of a run of a stage: the nth one to requests of a name. */
export interface Target {
  stage: Stage;
  name: string;
  nth: number;
}

/** A proxy with its own port, and what runs through it find undisturbed. */
export interface Lane {
  /** Answers of an undisturbed run of each stage, in the order in which they were asked for. */
  targets: readonly Target[];
  known: ReadonlyMap<string, Answer>;
  /** Runs a stage with a fault at some of its answers; `hit` are those that were asked for at all. */
  hit(
    fault: Fault,
    stage: Stage,
    targets: readonly Target[],
  ): Promise<{ outcome: Outcome; hit: ReadonlySet<Target> }>;
  /** Runs a stage undisturbed on what the last run left, as the next night does. */
  next(stage: Stage): Promise<Outcome>;
  close(): Promise<void>;
}

/**
 * Starts a proxy in front of an origin, and crawls and downloads through it undisturbed. The media stage begins
 * with a store as `stillpress crawl` leaves it, so that it has to ask for its links first.
 */
export async function openLane(origin: Origin, folder: string): Promise<Lane> {
  const proxy = await startProxy(origin.baseUrl);
  const config: Config = configOf(proxy.baseUrl);
  const token = origin.tokens.organisation;
  const crawled = `${folder}-crawled`;
  const truths = { crawl: new Map<string, string>(), media: new Map<string, string>() };
  const targets: Target[] = [];
  const run = (stage: Stage): Promise<Outcome> =>
    runStage(stage, { config, token, folder, truth: truths[stage] });

  function begin(stage: Stage): void {
    rmSync(folder, { recursive: true, force: true });
    if (stage === "media") cpSync(crawled, folder, { recursive: true });
  }

  for (const stage of ["crawl", "media"] as const) {
    begin(stage);
    proxy.begin();
    const outcome = await run(stage);
    if (outcome.kind !== "complete") throw new Error(`the undisturbed run: ${outcome.why}`);
    truths[stage] = new Map(snapshotOf(join(folder, "store")));
    targets.push(...targetsOf(stage, proxy.asked));
    if (stage === "crawl") cpSync(folder, crawled, { recursive: true });
  }

  return {
    targets,
    known: new Map(proxy.known),
    async hit(fault, stage, targets) {
      begin(stage);
      const hit = new Set<Target>();
      proxy.begin((name, nth) => {
        const target = targets.find((one) => name === one.name && nth === one.nth);
        if (target === undefined) return undefined;
        hit.add(target);
        return fault.befall;
      });
      return { outcome: await run(stage), hit };
    },
    async next(stage) {
      proxy.begin();
      return await run(stage);
    },
    close: () => proxy.close(),
  };
}

function targetsOf(stage: Stage, asked: readonly string[]): Target[] {
  const counts = new Map<string, number>();
  return asked.map((name) => {
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    return { stage, name, nth };
  });
}

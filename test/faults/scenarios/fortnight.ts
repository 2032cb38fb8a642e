import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Change } from "../../../src/changes/changes.ts";
import { type Personality, personalities } from "../../../src/demo/options.ts";
import { type Dice, dice } from "../../../src/lib/random.ts";
import { publishedSettings } from "../../../src/publish/record.ts";
import { listBuilds } from "../../../src/publish/rollback.ts";
import { rulesOf } from "../../../src/routes/rules.ts";
import { startServer } from "../../../src/serve/server.ts";
import {
  isPublished,
  tracesOf,
  treeWithTimes,
  wrongChanges,
  wrongPages,
  wrongReport,
} from "../fortnight/checks.ts";
import { createEditors, type Day, type Editors } from "../fortnight/editors.ts";
import { startTargets, type Targets } from "../fortnight/targets.ts";
import type { Scenario } from "../scenario.ts";
import { type Ended, type Ground, lastWordsOf, startGround } from "../support/ground.ts";
import { differenceOf } from "../support/trees.ts";
import type { WatchOptions } from "../support/watch.ts";

const day = 86_400;
const firstEpoch = 1_750_000_000;
/** At which request a run is killed, and how often the origin says that it is asked too much. */
const killedAt = 12;
const refusedEvery = 20;

const epochOf = (night: number): number => firstEpoch + night * day;

interface Night {
  name: string;
  edit?: (editors: Editors) => Day | Day[];
  /** What is wrong with the origin. */
  fault?: WatchOptions["intercept"];
  /** 0 where it is not told. */
  exit?: number;
  killed?: boolean;
  /** Everything but the store is lost before. */
  storeOnly?: boolean;
}

const accident: Night["fault"] = (request, response) => {
  if (!/\/articles(?:\?|$)/.test(request.url ?? "")) return false;
  response.writeHead(200, { "content-type": "application/json" });
  const meta = { current_page: 1, last_page: 1, per_page: 20, total: 0 };
  response.end(JSON.stringify({ data: [], links: { next: null }, meta }));
  return true;
};

const noNetwork: Night["fault"] = (request) => {
  request.socket.destroy();
  return true;
};

function limited(): Night["fault"] {
  let asked = 0;
  return (_, response) => {
    if (++asked % refusedEvery !== 0) return false;
    response.writeHead(429, { "retry-after": "1" }).end();
    return true;
  };
}

const nights = (): Night[] => [
  { name: "the first" },
  { name: "inserts", edit: (editors) => editors.insert() },
  { name: "edits", edit: (editors) => [editors.edit(), editors.editInSilence()] },
  { name: "quiet" },
  { name: "deletes", edit: (editors) => editors.remove() },
  { name: "an image made private", edit: (editors) => editors.hideImage() },
  { name: "a rate limit", edit: (editors) => editors.edit(), fault: limited() },
  { name: "a kill", edit: (editors) => editors.insert(), killed: true },
  { name: "an empty index", fault: accident, exit: 10 },
  { name: "the index is back", edit: (editors) => editors.editImage() },
  { name: "no network", fault: noNetwork, exit: 8 },
  { name: "a kept store", edit: (editors) => editors.insert(), storeOnly: true },
  { name: "the image is public again", edit: (editors) => editors.showImageAgain() },
  { name: "a bit of all", edit: (editors) => [editors.insert(), editors.edit(), editors.remove()] },
];

/** Two weeks of a nightly job, with the accidents that happen to one. */
export const fortnight: Scenario = {
  name: "fortnight",
  what: "14 nights with edits and accidents: exit code, report, diff, site and what is published elsewhere are right after each",
  async run({ long, seed, folder, note }) {
    const chosen = (long ? Object.keys(personalities) : ["plain"]) as Personality[];
    const figures: string[] = [];
    const violations: string[] = [];
    for (const [number, personality] of chosen.entries()) {
      const ground = await startGround({
        personality,
        size: { articles: 30, galleries: 9, images: 45 },
        config: { crawl: { patience: 0 }, mirror: {}, media: { formats: ["jpeg"], variants: [] } },
      });
      const place = join(folder, personality);
      const targets = await startTargets(ground, place);
      const job = createJob({ ground, targets, personality, folder: place }, dice(seed, number));
      try {
        for (const night of nights()) {
          const broken = await job.spend(night);
          violations.push(
            ...broken.map((text) => `${personality}, night ${job.count} (${night.name}): ${text}`),
          );
          note(`${personality}: night ${job.count}, ${violations.length} broke a rule`);
        }
        const silent = job.unread();
        if (silent) violations.push(`${personality}: "${silent}" was not read in a fortnight`);
      } finally {
        await targets.close();
        await ground.close();
      }
      figures.push(`${personality}: ${job.count} nights, ${job.requests} requests`);
    }
    return { figures, violations };
  },
};

interface Place {
  ground: Ground;
  targets: Targets;
  personality: Personality;
  folder: string;
}

/** The nightly job of one archive. */
function createJob({ ground, targets, personality, folder }: Place, random: Dice) {
  const { press, watch } = ground;
  const made = createEditors(press.origin.content, random);
  // Found in its turn, whenever that is.
  const silent = new Map<string, string>();
  const editors: Editors = {
    ...made,
    editInSilence() {
      const day = made.editInSilence();
      silent.set(day.id, day.text);
      return day;
    },
  };
  // What no index shows is told in its turn; the counts of some origins include private images.
  const concerned = new Set<string>();
  const hidden = new Set<string>();
  let out = join(folder, "out");
  mkdirSync(out, { recursive: true });
  const job = { count: 0, requests: 0, spend, unread };
  return job;

  async function spend(night: Night): Promise<string[]> {
    job.count++;
    const days = [night.edit?.(editors) ?? { told: [], concerned: [] }].flat();
    for (const day of days) for (const id of day.concerned) concerned.add(id);
    const done: Day = { told: days.flatMap(({ told }) => told), concerned: [...concerned] };
    for (const { id, what } of done.told) {
      if (what === "withdrawn") hidden.add(id);
      else hidden.delete(id);
    }
    const broken: string[] = [];
    if (night.storeOnly) broken.push(...(await keepStoreOnly()));
    const before = job.count === 1 ? undefined : published();
    const run = await runNight(night);
    const exit = night.exit ?? 0;
    if (run.code !== exit) return [...broken, `exit code: ${lastWordsOf(run)}`];
    const now = published();
    const isNew = now.build !== before?.build;
    broken.push(...wrongReport(out, { exit, snapshot: now.snapshot, isNew }));
    if (exit !== 0 || done.told.length + done.concerned.length === 0) {
      const difference = before && differenceOf(now.tree, before.tree);
      if (difference) broken.push(`the publish root changed: ${difference}`);
    }
    if (exit !== 0) return broken;
    if (done.told.length > 0 && !isNew) broken.push("nothing new was published");
    broken.push(...(await targets.lookAt(out, run.stdout, epochOf(job.count))));
    broken.push(...(await lookAt(done, before !== undefined && isNew)));
    return broken;
  }

  /** Looks at what a good night has published. */
  async function lookAt(done: Day, isAnother: boolean): Promise<string[]> {
    const broken: string[] = [];
    const settings = publishedSettings(out);
    const { root } = rulesOf(settings);
    const server = await startServer({ publicRoot: join(out, "public"), root, token: undefined });
    const commands = [["verify"]];
    // A mirror rightly differs from an origin whose order changes with each request, or that shows private images.
    const { unstableOrder, privateInAttachments } = personalities[personality];
    if (!unstableOrder && !privateInAttachments) {
      commands.push(["compare", "--mirror", `${server.url}/${root}`, "--sample", "40"]);
    }
    for (const [name = "", ...args] of commands) {
      const run = await ground.start(name, out, { args }).ended;
      if (run.code === 0) continue;
      const [first = lastWordsOf(run)] =
        /"(?:differences|damaged)":\s*\[[^\]]*/.exec(run.stdout) ?? [];
      broken.push(`${name}: ${first}`);
    }
    await server.close();
    broken.push(...[...hidden].flatMap((id) => tracesOf(out, id)));
    if (!isAnother) return broken;
    const { stdout } = await ground.start("diff", out, { args: ["published~1", "published"] })
      .ended;
    const { items } = JSON.parse(stdout) as { items: Change[] };
    return [...broken, ...wrongChanges(items, done), ...wrongPages(out, items, done.told)];
  }

  async function runNight({ fault, killed }: Night): Promise<Ended> {
    const settings = { ...targets, epoch: epochOf(job.count) };
    if (killed) {
      const seen = watch.begin({ onRequest: (number) => void (number === killedAt && kill()) });
      const { child, ended } = ground.start("snapshot", out, settings);
      const kill = (): boolean => child.kill("SIGKILL");
      const { code } = await ended;
      if (code !== null) throw new Error(`the run was not killed, it ended with ${code}`);
      job.requests += seen.asked.length;
    }
    const seen = watch.begin(fault ? { intercept: fault } : {});
    const run = await ground.start("snapshot", out, settings).ended;
    watch.begin();
    job.requests += seen.asked.length;
    return run;
  }

  /** Goes on with the store alone, as a job does whose cache keeps nothing else. */
  async function keepStoreOnly(): Promise<string[]> {
    const before = published();
    const kept = join(folder, "kept");
    mkdirSync(kept);
    execFileSync("cp", ["-a", join(out, "store"), kept]);
    out = kept;
    const run = await ground.start("build", out).ended;
    if (run.code !== 0) return [`build from the kept store: ${lastWordsOf(run)}`];
    const difference = differenceOf(published().tree, before.tree);
    return difference === undefined ? [] : [`the kept store gives another tree: ${difference}`];
  }

  function published() {
    const build = realpathSync(join(out, "public"));
    const snapshot = listBuilds(out).find(({ state }) => state === "published")?.snapshot;
    return { build, snapshot: snapshot ?? undefined, tree: treeWithTimes(out) };
  }

  /** The text of a silent edit that no page shows. */
  function unread(): string | undefined {
    const texts = [...silent.values()];
    return texts.find((text) => !isPublished(out, text));
  }
}

import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Finding } from "../scenario.ts";
import { type Ground, lastWordsOf } from "./ground.ts";

/** How a run is interrupted. */
interface Interruption {
  what: string;
  command: "crawl" | "media";
  /** The request at whose arrival the signal is sent, a little later. */
  request: number;
  /** What becomes of this request and all that follow, if they are not answered. */
  hang?: (response: ServerResponse) => void;
  twice?: boolean;
}

/** How long a run may take to end after SIGINT, and after the second one, in milliseconds. */
const maxDrainMs = 12_000;
const maxAtOnceMs = 1_000;

/** Begins an answer of a length that it never reaches. */
function begin(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": 5_000 });
  response.write('{"data":[');
}

const silence = (): void => {};

const interruptions: readonly Interruption[] = [
  { what: "while it crawls", command: "crawl", request: 40 },
  { what: "while every answer hangs in its body", command: "crawl", request: 40, hang: begin },
  { what: "while no request is answered", command: "crawl", request: 40, hang: silence },
  { what: "while it downloads", command: "media", request: 15 },
  { what: "while every download hangs in its body", command: "media", request: 15, hang: begin },
  {
    what: "twice, while every answer hangs",
    command: "crawl",
    request: 40,
    hang: begin,
    twice: true,
  },
];

/** Interrupts runs of the command with SIGINT, and looks at what the next run asks for again. */
export async function interruptRuns(ground: Ground, folder: string): Promise<Finding> {
  const finding: Finding = { figures: [], violations: [] };
  const reference = {
    crawl: await countRequests(ground, "crawl", join(folder, "undisturbed")),
    media: await countRequests(ground, "media", join(folder, "undisturbed")),
  };
  for (const [n, interruption] of interruptions.entries()) {
    const out = join(folder, `interrupted-${n}`);
    await interrupt(ground, out, interruption, reference[interruption.command], finding);
  }
  return finding;
}

async function interrupt(
  ground: Ground,
  out: string,
  { what, command, request, hang, twice }: Interruption,
  reference: ReadonlyMap<string, number>,
  { figures, violations }: Finding,
): Promise<void> {
  const name = `SIGINT ${what}`;
  if (command === "media") await countRequests(ground, "crawl", out);
  let shoot = (): void => {};
  const due = new Promise<void>((resolve) => {
    shoot = resolve;
  });
  let arrived = 0;
  const seen = ground.watch.begin({
    onRequest(number) {
      arrived = number;
      if (number === request) shoot();
    },
    intercept(_, response) {
      if (hang === undefined || arrived < request) return false;
      hang(response);
      return true;
    },
  });
  const { child, ended } = ground.start(command, out);
  await Promise.race([due, ended]);
  // Where it hangs, what was answered just before has arrived by then.
  await sleep(hang === undefined ? 0 : 300);
  const answered = [...seen.answered];
  const begun = performance.now();
  child.kill("SIGINT");
  if (twice) {
    await sleep(200);
    child.kill("SIGINT");
  }
  const run = await ended;
  const ms = performance.now() - begun;
  const allowed = twice ? maxAtOnceMs : maxDrainMs;
  if (run.code !== 130) violations.push(`${name}: ${lastWordsOf(run)}`);
  if (ms > allowed) violations.push(`${name}: ended after ${Math.round(ms)} ms`);

  const next = ground.watch.begin();
  const resumed = await ground.start(command, out).ended;
  if (resumed.code !== 0) violations.push(`${name}: the next run: ${lastWordsOf(resumed)}`);
  const again = repeatedOf(answered, next.asked, reference);
  // The signed links of a crawl that came to its end are not kept: the pages that show them are read again.
  const pages = command === "media" ? again.filter((url) => !url.includes("/download")) : [];
  const repeated = again.length - pages.length;
  figures.push(
    `${name}: ended after ${Math.round(ms)} ms, ${answered.length} requests had been answered, ` +
      `the next run made ${next.asked.length}, ${repeated} of them again, ${pages.length} for new links`,
  );
  if (repeated > 0) {
    violations.push(`${name}: ${repeated} answered requests are made again, such as ${again[0]}`);
  }
}

/** Runs a stage undisturbed; gives how often each request was made. */
async function countRequests(
  ground: Ground,
  command: "crawl" | "media",
  out: string,
): Promise<ReadonlyMap<string, number>> {
  const seen = ground.watch.begin();
  const run = await ground.start(command, out).ended;
  if (run.code !== 0) throw new Error(`the undisturbed ${command}: ${lastWordsOf(run)}`);
  return countsOf(seen.asked);
}

function countsOf(names: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The requests that were made more often than in the undisturbed run, although they had been answered. */
function repeatedOf(
  answered: readonly string[],
  asked: readonly string[],
  reference: ReadonlyMap<string, number>,
): string[] {
  const before = countsOf(answered);
  return [...countsOf(asked)].flatMap(([name, count]) => {
    const had = before.get(name) ?? 0;
    const more = Math.min(had, had + count - (reference.get(name) ?? 0));
    return Array.from({ length: Math.max(0, more) }, () => name);
  });
}

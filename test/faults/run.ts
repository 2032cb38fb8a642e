import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { eachLimited } from "../../src/lib/concurrency.ts";
import type { Finding, Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";

/*
 * npm run test:faults [-- --long] [-- --only disk,kill] [-- --seed 7] [-- --jobs 2]
 *
 * Runs every scenario, prints its figures, and fails where a rule was broken. FAULTS.md tells which fault is
 * shown where. Scenarios run side by side, each in a process of its own, but for those that measure times.
 */

const { values } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    brief: { type: "boolean", default: false },
    only: { type: "string" },
    seed: { type: "string", default: "1" },
    jobs: { type: "string", default: String(Math.min(2, availableParallelism())) },
    /** What a process is started with that runs one scenario for another process. */
    apart: { type: "boolean", default: false },
  },
});

const printedViolations = 20;

/** What the process of a scenario says while it works, and in the end. */
type Message = { note: string } | { finding: Finding };

function chosen(): readonly Scenario[] {
  if (values.only === undefined) return scenarios;
  const names = values.only.split(",");
  const unknown = names.filter((name) => !scenarios.some((one) => one.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `no such scenario: ${unknown.join(", ")}; there are ${scenarios.map(({ name }) => name).join(", ")}`,
    );
  }
  return scenarios.filter(({ name }) => names.includes(name));
}

async function runHere(scenario: Scenario, note: (text: string) => void): Promise<Finding> {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-faults-"));
  try {
    const { long, brief, seed } = values;
    const place = join(folder, scenario.name);
    mkdirSync(place);
    return await scenario.run({ long, brief, seed: Number(seed), folder: place, note });
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { figures: [], violations: [`the scenario itself failed: ${text}`] };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs a scenario in a process of its own, which is this program again. */
function runApart({ name }: Scenario, note: (text: string) => void): Promise<Finding> {
  const { long, brief, seed } = values;
  const flags = [...(long ? ["--long"] : []), ...(brief ? ["--brief"] : [])];
  const args = [...flags, "--seed", seed, "--only", name, "--apart"];
  const child = fork(fileURLToPath(import.meta.url), args, { stdio: ["ignore", 2, 2, "ipc"] });
  let finding: Finding | undefined;
  child.on("message", (message: Message) => {
    if ("note" in message) note(message.note);
    else finding = message.finding;
  });
  return new Promise((resolve) => {
    child.once("close", (code, signal) => {
      const ended = `the scenario ended without a word: ${signal ?? `exit ${code}`}`;
      resolve(finding ?? { figures: [], violations: [ended] });
    });
  });
}

/** @returns how many rules were broken */
async function runAll(all: readonly Scenario[], run: typeof runApart): Promise<number> {
  let broken = 0;
  const notes = new Map<string, string>();
  const draw = (): void => {
    if (!process.stderr.isTTY) return;
    const line = [...notes].map(([name, text]) => `${name}: ${text}`).join(" · ");
    process.stderr.write(`\x1b[2K\r${line.slice(0, (process.stderr.columns ?? 80) - 1)}`);
  };
  const runOne = async (scenario: Scenario): Promise<void> => {
    const started = performance.now();
    notes.set(scenario.name, "begun");
    const finding = await run(scenario, (text) => {
      notes.set(scenario.name, text);
      draw();
    });
    notes.delete(scenario.name);
    if (process.stderr.isTTY) process.stderr.write("\x1b[2K\r");
    print(scenario, finding, performance.now() - started);
    broken += finding.violations.length;
  };
  for (const scenario of all) if (scenario.alone) await runOne(scenario);
  const others = all.filter(({ alone }) => !alone);
  await eachLimited(others, Number(values.jobs), runOne);
  return broken;
}

function print({ name, what }: Scenario, { figures, violations }: Finding, ms: number): void {
  const lines = [`${name}: ${what} (${(ms / 1000).toFixed(1)} s)`];
  for (const figure of figures) lines.push(`  ${figure}`);
  lines.push(`  ${violations.length} violations`);
  for (const violation of violations.slice(0, printedViolations)) lines.push(`    ! ${violation}`);
  process.stdout.write(`${lines.join("\n")}\n`);
}

const [first, ...more] = chosen();
if (first === undefined) throw new Error("nothing to run");
if (values.apart) {
  const send = (message: Message): unknown => process.send?.(message);
  send({ finding: await runHere(first, (note) => send({ note })) });
  process.disconnect();
} else {
  const broken = await runAll([first, ...more], more.length === 0 ? runHere : runApart);
  process.stdout.write(broken === 0 ? "every rule held\n" : `${broken} violations\n`);
  process.exitCode = broken === 0 ? 0 : 1;
}

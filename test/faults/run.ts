import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Finding, Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";

/*
 * npm run test:faults [-- --long] [-- --only disk,kill] [-- --seed 7]
 *
 * Runs every scenario, prints its figures, and fails where a rule was broken. FAULTS.md tells which fault is
 * shown where.
 */

const { values } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    brief: { type: "boolean", default: false },
    only: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});

const printedViolations = 20;

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

async function runOne(scenario: Scenario, root: string): Promise<Finding> {
  const folder = join(root, scenario.name);
  mkdirSync(folder);
  try {
    return await scenario.run({
      long: values.long,
      brief: values.brief,
      seed: Number(values.seed),
      folder,
      note(text) {
        if (process.stderr.isTTY) process.stderr.write(`\x1b[2K\r${scenario.name}: ${text}`);
      },
    });
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { figures: [], violations: [`the scenario itself failed: ${text}`] };
  } finally {
    if (process.stderr.isTTY) process.stderr.write("\x1b[2K\r");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const root = mkdtempSync(join(tmpdir(), "stillpress-faults-"));
let broken = 0;
try {
  for (const scenario of chosen()) {
    const started = performance.now();
    const { figures, violations } = await runOne(scenario, root);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(`${scenario.name}: ${scenario.what} (${seconds} s)\n`);
    for (const figure of figures) process.stdout.write(`  ${figure}\n`);
    process.stdout.write(`  ${violations.length} violations\n`);
    for (const violation of violations.slice(0, printedViolations)) {
      process.stdout.write(`    ! ${violation}\n`);
    }
    broken += violations.length;
  }
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}
process.stdout.write(broken === 0 ? "every rule held\n" : `${broken} violations\n`);
process.exitCode = broken === 0 ? 0 : 1;

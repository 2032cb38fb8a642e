import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding, Scenario } from "../scenario.ts";
import { type Mistake, mistakes } from "../zoo/mistakes.ts";

/** What a copy of the project is made of; the rest is not needed to run its tests. */
const copied = ["src", "test", "config", "templates", "package.json", "tsconfig.json"];
const project = new URL("../../..", import.meta.url).pathname;
/** Fast-check's setting for all tests: the smallest counterexample can take longer to find than all the rest. */
const setupFile = "end-on-failure.mjs";
const endOnFailure = 'import fc from "fast-check";\nfc.configureGlobal({ endOnFailure: true });\n';

/**
 * Plants one mistake at a time into a copy of the project, and runs the tests that should notice. First they are run
 * on the copy as it is: a test that fails anyhow proves nothing.
 */
export const zoo: Scenario = {
  name: "zoo",
  what: "each of these mistakes, planted on purpose, is caught",
  async run({ folder, note }) {
    const copy = join(folder, "copy");
    mkdirSync(copy);
    for (const name of copied) cpSync(join(project, name), join(copy, name), { recursive: true });
    symlinkSync(join(project, "node_modules"), join(copy, "node_modules"));
    writeFileSync(join(copy, "vitest.config.mjs"), vitestConfig(copy));
    writeFileSync(join(copy, setupFile), endOnFailure);
    const finding: Finding = { figures: [], violations: [] };
    note("without a mistake");
    const all = [...new Set(mistakes.flatMap(({ caughtBy }) => caughtBy))];
    // Other work on the machine may keep a test from its end, once.
    const healthy = await runTests(copy, all, ["--retry", "2"]);
    if (!healthy.passed) {
      finding.violations.push(`the tests fail without a mistake:\n${healthy.output.slice(-2_000)}`);
      return finding;
    }
    let caught = 0;
    for (const [at, mistake] of mistakes.entries()) {
      note(`${at + 1} of ${mistakes.length}: ${mistake.name}`);
      const outcome = await plant(copy, mistake);
      if (outcome === undefined) caught++;
      else finding.violations.push(`${mistake.name}: ${outcome}`);
    }
    finding.figures.push(`${caught} of ${mistakes.length} mistakes caught`);
    for (const { name, caughtBy } of mistakes) {
      finding.figures.push(`${name}: ${caughtBy.join(", ")}`);
    }
    return finding;
  },
};

/** Why a mistake was not caught; undefined where it was. */
async function plant(copy: string, mistake: Mistake): Promise<string | undefined> {
  const path = join(copy, mistake.file);
  const text = readFileSync(path, "utf8");
  if (text.split(mistake.find).length !== 2) {
    return `${mistake.file} has its text not exactly once; the mistake must follow the code`;
  }
  writeFileSync(
    path,
    text.replace(mistake.find, () => mistake.replace),
  );
  try {
    const { passed, output } = await runTests(copy, mistake.caughtBy);
    if (passed) return "no test noticed";
    return /AssertionError|Property failed|violations|Error:/.test(output)
      ? undefined
      : `the tests failed otherwise:\n${output.slice(-2_000)}`;
  } finally {
    writeFileSync(path, text);
  }
}

/** Runs test files, or scenarios as `faults:name`, in a copy of the project. */
async function runTests(
  copy: string,
  wanted: readonly string[],
  options: readonly string[] = ["--bail", "1"],
): Promise<{ passed: boolean; output: string }> {
  const scenarios = wanted.filter((one) => one.startsWith("faults:"));
  const files = wanted.filter((one) => !one.startsWith("faults:"));
  if (files.length > 0) {
    const vitest = join(copy, "node_modules/vitest/vitest.mjs");
    const result = await run(copy, [vitest, "run", ...options, "--reporter", "dot", ...files]);
    if (!result.passed) return result;
  }
  if (scenarios.length === 0) return { passed: true, output: "" };
  const names = scenarios.map((one) => one.slice("faults:".length)).join(",");
  return run(copy, ["--import", "tsx", "test/faults/run.ts", "--brief", "--only", names]);
}

function run(cwd: string, args: string[]): Promise<{ passed: boolean; output: string }> {
  const env = { ...process.env, NO_COLOR: "1" };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-200_000);
    });
  }
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ passed: code === 0, output }));
  });
}

/** Without the build of the project's own configuration: none of these tests needs the command. */
function vitestConfig(root: string): string {
  const test = {
    include: ["test/**/*.test.ts"],
    setupFiles: [setupFile],
    testTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  };
  return `export default ${JSON.stringify({ root, test })};\n`;
}

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { watchMemory } from "../test/faults/hostile/measure.ts";

/** What one measured piece of work cost, in a process of its own. */
export interface Figures {
  wallMs: number;
  /** User and system time of the whole process from the start of the work. */
  cpuMs: number;
  /** Highest resident memory of the process, MiB. */
  peakMiB: number;
}

/** Figures of a program that may start others, whose memory `peakMiB` has all of. */
export interface ProgramFigures extends Figures {
  /** Highest resident memory of any one process, MiB. */
  largestMiB: number;
  /** The same of the last quarter of the time, divided by that of the third. */
  growth: number;
}

/** Runs work in this process and prints its figures as the last line, for `inChild` to read. */
export async function report(work: () => Promise<void> | void): Promise<void> {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(`\n${JSON.stringify({ wallMs, cpuMs: (user + system) / 1000, peakMiB })}\n`);
}

/** Runs one part of a benchmark file in a new process: `--part NAME` and further arguments. */
export function inChild(file: string, part: string, args: readonly string[]): Figures {
  const child = spawnSync(process.execPath, ["--import", "tsx", file, "--part", part, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 28,
  });
  if (child.status !== 0) throw new Error(`${part}: exit ${child.status}`);
  return JSON.parse(child.stdout.trim().split("\n").at(-1) as string) as Figures;
}

/** Runs a program with all that it starts; its memory is looked at ten times a second. @throws where it fails */
export async function measured(
  [program, ...args]: readonly [program: string, ...args: string[]],
  env: NodeJS.ProcessEnv = {},
): Promise<ProgramFigures> {
  const started = performance.now();
  // The shell's own measure, because Node tells nothing of the processes that it has waited for.
  const timed = ["-c", 'TIMEFORMAT="%U %S"; time "$@"', "bash", program, ...args];
  const child = spawn("bash", timed, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const memory = watchMemory(child.pid as number);
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  const wallMs = performance.now() - started;
  const peakMiB = memory.stop() / 2 ** 20;
  if (code !== 0) throw new Error(`${program} ${args.join(" ")}: exit ${code}\n${said}`);
  const [user = "", system = ""] = (said.trim().split("\n").at(-1) ?? "").split(" ");
  const cpuMs = (Number(user) + Number(system)) * 1000;
  const highest = (from: number, to: number): number => {
    const { length } = memory.largest;
    const part = memory.largest.slice(Math.floor(length * from), Math.ceil(length * to));
    return part.reduce((most, one) => Math.max(most, one), 0) / 2 ** 20;
  };
  const growth = highest(0.75, 1) / highest(0.5, 0.75);
  return { wallMs, cpuMs, peakMiB, largestMiB: highest(0, 1), growth };
}

/** Runs work in a temporary folder. */
export async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-bench-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a program is installed: whether it tells its version. */
export function isHere(program: string, version: string): boolean {
  return spawnSync(program, [version]).status === 0;
}

/** Whether a folder lies in memory. */
export function fileSystemOf(folder: string): "tmpfs" | "on a disk" {
  return statfsSync(folder).type === 0x01021994 ? "tmpfs" : "on a disk";
}

/** Median by wall time of several runs. */
export function median(runs: readonly Figures[]): Figures {
  const sorted = [...runs].sort((a, b) => a.wallMs - b.wallMs);
  return sorted[Math.floor(sorted.length / 2)] as Figures;
}

/** Prints one row for each measured part, with the ratio of its wall time to the named floor's. */
export function printTable(
  title: string,
  rows: readonly { name: string; figures: Figures }[],
  floor: string,
): void {
  const base = rows.find((row) => row.name === floor)?.figures.wallMs;
  const header = ["", "wall s", "cpu s", "peak MiB", `x ${floor}`];
  const lines = rows.map(({ name, figures: { wallMs, cpuMs, peakMiB } }) => [
    name,
    (wallMs / 1000).toFixed(2),
    (cpuMs / 1000).toFixed(2),
    peakMiB.toFixed(0),
    base === undefined ? "" : (wallMs / base).toFixed(2),
  ]);
  printCells(title, [header, ...lines]);
}

/** Prints rows of texts as a table. The first column is aligned to the left, the others to the right. */
export function printCells(title: string, rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((line) => (line[column] as string).length)),
  );
  process.stdout.write(`\n${title}\n`);
  for (const line of rows) {
    const cells = line.map((cell, column) =>
      column === 0
        ? cell.padEnd(widths[column] as number)
        : cell.padStart(widths[column] as number),
    );
    process.stdout.write(`  ${cells.join("  ")}\n`);
  }
}

/** Numbers from the command line, with defaults, and the part to run when this is a child. */
export function benchOptions<T extends Record<string, number>>(
  defaults: T,
): { sizes: T; part: string | undefined; args: string[] } {
  const { values } = parseArgs({
    options: Object.fromEntries(
      [...Object.keys(defaults), "part"].map((name) => [name, { type: "string" as const }]),
    ),
    strict: true,
  });
  const sizes = { ...defaults } as Record<string, number>;
  for (const name of Object.keys(defaults)) {
    const given = values[name];
    if (typeof given === "string") sizes[name] = Number(given);
  }
  const args = Object.entries(sizes).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return { sizes: sizes as T, part: values.part as string | undefined, args };
}

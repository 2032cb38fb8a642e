import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Personality, personalities } from "../../src/demo/options.ts";
import type { StartOptions } from "../../src/demo/origin.ts";
import { sha256 } from "../../src/lib/digest.ts";
import type { Report } from "../../src/publish/report.ts";
import { generateContent, generated } from "./content.ts";
import { type Origin, startOrigin } from "./origin.ts";

/** Outcome of one run of the command, as its caller sees it. */
export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The built command: tests run the program as its users do. */
export const command = new URL("../../dist/cli/main.js", import.meta.url).pathname;

export interface RunSettings {
  env?: Record<string, string>;
  cwd?: string;
  /** Called with the process, to send it signals. */
  started?: ((child: ReturnType<typeof spawn>) => void) | undefined;
}

/** Runs `stillpress` with arguments; the environment has no setting of the test's own machine. */
export async function stillpress(
  args: readonly string[],
  settings: RunSettings = {},
): Promise<Run> {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, [command, ...args], {
    env: { PATH, HOME, ...settings.env },
    cwd: settings.cwd,
  });
  settings.started?.(child);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout, stderr };
}

/** An origin, a configuration for it, and a folder to press into. */
export interface Press {
  origin: Origin;
  folder: string;
  /** The output folder. */
  out: string;
  configFile: string;
  /** Runs a command with this configuration, `--json` and the origin's token. */
  run(name: string, ...args: string[]): Promise<Run & { report: Report }>;
  close(): Promise<void>;
}

export interface PressOptions {
  personality?: Personality;
  origin?: Partial<StartOptions>;
  /** Merged into the configuration's sections. */
  config?: Record<string, Record<string, unknown>>;
  size?: { articles: number; galleries: number; images: number };
  /** Begin with the first snapshot and its build. `origin.intercept` must let its requests pass. */
  pressed?: boolean;
}

/** Starts an origin of a personality, with a configuration that names what it does otherwise than by default. */
export async function startPress({ pressed, ...options }: PressOptions = {}): Promise<Press> {
  if (!pressed) return startEmpty(options);
  // An archive belongs to an address, so that tests share it together with a port, one after the other.
  const key = sha256(JSON.stringify(options)).slice(0, 16);
  for (let slot = 1; ; slot++) {
    const folder = join(process.env.TESTS_SHARE ?? tmpdir(), `${key}-${slot}`);
    if (isMade(folder)) return pressFirst(options, folder);
    if (!existsSync(join(folder, "port"))) continue;
    const port = Number(readFileSync(join(folder, "port"), "utf8"));
    const press = await startEmpty(options, port).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRINUSE") throw error;
    });
    if (!press) continue;
    copyFolder(join(folder, "out"), press.out);
    return press;
  }
}

/** Makes a folder; false if another test has made it. */
function isMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/** Presses what later tests get a copy of. */
async function pressFirst(options: PressOptions, folder: string): Promise<Press> {
  const press = await startEmpty(options);
  const { code, stderr } = await press.run("snapshot");
  if (code !== 0) throw new Error(`the first snapshot ended with ${code}:\n${stderr}`);
  copyFolder(press.out, join(folder, "out"));
  writeFileSync(join(folder, "port"), String(press.origin.port));
  press.origin.requests.length = 0;
  return press;
}

/** Copies a folder with its links; names that shared a file share its copy. */
function copyFolder(from: string, to: string): void {
  execFileSync("cp", ["-a", from, to]);
}

async function startEmpty(options: PressOptions, port = 0): Promise<Press> {
  const { personality = "plain", size = { articles: 24, galleries: 5, images: 40 } } = options;
  const content = await generateContent({
    ...generated[personality],
    hardArticles: true,
    ...size,
    seed: 1,
  });
  const described = personalities[personality];
  const settings = { ...described, content, port, ...options.origin };
  const origin = await startOrigin(settings);
  const folder = mkdtempSync(join(tmpdir(), "stillpress-test-"));
  const out = join(folder, "out");
  const configFile = join(folder, "config.json");
  const { paths, bodyField, timezone } = described;
  const config = {
    // One rendition more than the API needs; tests of renditions name their own.
    media: { formats: ["jpeg"], variants: [{ width: 320 }] },
    ...options.config,
    origin: {
      baseUrl: origin.baseUrl,
      // Where the origin has a limit, a little below it.
      rate: { requests: settings.rate ? 90 : 1_000_000, perSeconds: 1 },
      ...(paths && { paths }),
      ...(bodyField && { bodyField }),
      ...(timezone && { timezone }),
      ...options.config?.origin,
    },
    out,
  };
  writeFileSync(configFile, JSON.stringify(config));
  return {
    origin,
    folder,
    out,
    configFile,
    async run(name, ...args) {
      const run = await stillpress([name, "--config", configFile, "--json", ...args], {
        env: { STILLPRESS_TOKEN: origin.tokens.organisation },
      });
      return {
        ...run,
        report: run.stdout === "" ? ({} as Report) : (JSON.parse(run.stdout) as Report),
      };
    },
    async close() {
      await origin.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

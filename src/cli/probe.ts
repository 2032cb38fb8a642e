import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { applyEnvironment } from "../config/environment.ts";
import { loadConfig } from "../config/load.ts";
import { type Config, ConfigSchema } from "../config.ts";
import { ConfigError, type ExitCode, exitCodes } from "../errors.ts";
import { makeFolder, writeDurably } from "../lib/files.ts";
import { largest } from "../lib/many.ts";
import { configurationText, differing } from "../probe/configuration.ts";
import { surveyOrigin } from "../probe/probe.ts";
import type { Finding } from "../probe/survey.ts";
import { outputPaths } from "../publish/swap.ts";
import { type CommonOptions, defaultConfigFile } from "./options.ts";
import { print, printJson } from "./print.ts";
import { withProber } from "./prober.ts";
import { abortOnSignals } from "./signals.ts";

/** Requests that `init` and `doctor` make at most. */
const mostRequests = 40;

interface InitOptions extends CommonOptions {
  baseUrl?: string;
  tokenEnv?: string;
  tokenFile?: string;
  force: boolean;
}

/** `stillpress init`: asks an origin how it answers, and writes a configuration for it. */
export async function runInit(options: InitOptions): Promise<ExitCode> {
  const file = options.config;
  if (existsSync(file) && !options.force) {
    const hint = '"stillpress doctor" checks it against the origin; --force replaces it';
    throw new ConfigError(`${file} is there already`, { hint });
  }
  const { baseUrl, tokenEnv, tokenFile } = await givenIn(options);
  const settings = { baseUrl, ...(tokenEnv && { tokenEnv }), ...(tokenFile && { tokenFile }) };
  const headers = givenHeaders(process.env);
  const { data: defaults, error } = ConfigSchema.safeParse({ origin: { ...settings, headers } });
  if (defaults === undefined) {
    const [first] = error.issues;
    const isHeader = first?.path.includes("headers");
    const where = isHeader
      ? "STILLPRESS_ORIGIN_HEADERS"
      : "--base-url, --token-env or --token-file";
    throw new ConfigError(`${where}: ${first?.message}`);
  }
  const { findings, requests } = await probe(defaults, options);
  const given = {
    $schema: schemaNear(file),
    "origin.tokenEnv": tokenEnv,
    "origin.tokenFile": tokenFile,
    "site.title": `Archive of ${new URL(baseUrl).hostname}`,
  };
  const bare = { ...defaults, origin: { ...defaults.origin, baseUrl: undefined } };
  makeFolder(resolve(dirname(file)));
  writeDurably(file, configurationText(given, findings, bare));
  const missing = findings.filter(({ certainty }) => certainty === "missing");
  const exitCode = missing.length > 0 ? exitCodes.gaps : exitCodes.complete;
  if (options.json) printJson({ exitCode, file, requests, findings });
  else {
    const flag = file === defaultConfigFile ? "" : ` --config ${file}`;
    const fill = "fill in what was not found, then check it: npx stillpress doctor";
    const next = missing.length > 0 ? fill : "npx stillpress plan";
    const token = tokenFile ? "" : `   (the token stays in ${defaults.origin.tokenEnv})`;
    print([`Wrote ${file} after ${requests} requests.`, `Next: ${next}${flag}${token}`]);
  }
  return exitCode;
}

/** A gateway may let nobody in without them. They stay in the environment, as the token does. */
function givenHeaders(environment: NodeJS.ProcessEnv): unknown {
  const name = "STILLPRESS_ORIGIN_HEADERS";
  const settings: { origin?: { headers?: unknown } } = {};
  applyEnvironment(settings, { [name]: environment[name] });
  return settings.origin?.headers;
}

/** `stillpress doctor`: asks the origin the same, and compares the answers with the configuration. */
export async function runDoctor(options: CommonOptions): Promise<ExitCode> {
  const { config, out } = loadConfig({ file: options.config, flags: { out: options.out } });
  const { findings, requests } = await probe(config, options, outputPaths(out).store);
  const others = differing(findings, config);
  const fits = others.length === 0;
  const exitCode = fits ? exitCodes.complete : exitCodes.gaps;
  if (options.json) printJson({ exitCode, requests, findings, differing: others });
  else {
    const lines = others.map(({ setting }) => {
      const value = JSON.stringify(setting?.value) ?? "nothing that fits";
      return `  ${setting?.path}: found ${value}`;
    });
    // Settings of paths that no answer has shown to be right.
    const guesses = findings.flatMap(({ certainty, setting }) =>
      certainty === "unknown" && setting?.path.startsWith("origin.paths.") ? [setting.path] : [],
    );
    const far = guesses.length > 0 ? ` as far as it shows, not checked: ${guesses.join(", ")}` : "";
    const summary = fits
      ? `fits the origin${far}; ${requests} requests.`
      : "differs from the origin:";
    print([`${options.config} ${summary}`, ...lines]);
  }
  return exitCode;
}

/** Address and place of the token, which are asked for in a terminal. @throws ConfigError where they are not given */
async function givenIn({ baseUrl, tokenEnv, tokenFile }: InitOptions) {
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  if (baseUrl === undefined && !isTerminal) {
    const hint = "name it with --base-url, such as --base-url https://media.example.org/api/v1";
    throw new ConfigError("init needs the address of the API", { hint });
  }
  const given = { baseUrl: baseUrl ?? "", tokenEnv, tokenFile };
  const variable = tokenEnv ?? "STILLPRESS_TOKEN";
  const hasToken = tokenFile || process.env[variable];
  if (isTerminal) {
    const signal = abortOnSignals();
    given.baseUrl ||= await answerTo("Address of the API: ", { signal });
    if (!hasToken) given.tokenFile = await askForTokenFile(variable, signal);
  }
  // People copy the address of a request.
  given.baseUrl = given.baseUrl.trim().replace(/\/(?:articles\/?)?$/, "");
  return given;
}

/**
 * Asks for the file with the token and shows nothing of the answer, because people paste the token itself.
 *
 * @throws ConfigError where there is no such file
 */
async function askForTokenFile(variable: string, signal: AbortSignal): Promise<string | undefined> {
  const question = `The variable ${variable} is not set. File with the access token (not shown): `;
  const file = await answerTo(question, { signal, isHidden: true });
  if (file === "" || existsSync(file)) return file || undefined;
  throw new ConfigError("there is no such file; its name is not repeated, as it may be the token", {
    hint: `write the token into a file and name that, or set the variable ${variable}`,
  });
}

/** What is typed at a terminal; shown as it is typed, unless it is hidden. */
async function answerTo(
  question: string,
  { signal, isHidden = false }: { signal: AbortSignal; isHidden?: boolean },
): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isHidden ? nowhere : process.stderr;
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  // The terminal takes Ctrl+C for a key.
  terminal.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
  if (isHidden) process.stderr.write(question);
  try {
    return (await terminal.question(question, { signal })).trim();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    terminal.close();
    if (isHidden) process.stderr.write("\n");
  }
}

async function probe(config: Config, options: CommonOptions, store?: string) {
  const questions = { config, options, store, stage: "asking the origin", most: mostRequests };
  const { findings, prober } = await withProber(questions, (prober) =>
    surveyOrigin(prober, config.origin),
  );
  if (!options.json) print([...table(findings), "", legend, ""]);
  return { findings, requests: prober.client.stats.requests };
}

const legend = "✓ sure   ~ likely   ? the origin does not show it   ✗ not found";
const marks = { sure: "✓", likely: "~", unknown: "?", missing: "✗" };

function table(findings: readonly Finding[]): string[] {
  const width = largest(findings.map(({ subject }) => subject.length));
  const loudFirst = findings.toSorted(
    (a, b) => Number(b.isLoud ?? false) - Number(a.isLoud ?? false),
  );
  return loudFirst.map(({ subject, asked, came, means, certainty, isLoud }) => {
    const answer = came === "" ? asked : `${asked}: ${came}`;
    return `${isLoud ? "!" : marks[certainty]} ${subject.padEnd(width)}  ${means}  (${answer})`;
  });
}

/** The path from a configuration file to the schema of the installed package, if it lies near. */
function schemaNear(file: string): string | undefined {
  const folder = resolve(dirname(file));
  const places = ["schema.json", "../node_modules/stillpress/config/schema.json"];
  const found = places.map((place) => resolve(folder, place)).find((place) => existsSync(place));
  if (found === undefined) return undefined;
  const path = relative(folder, found).replaceAll("\\", "/");
  return path.startsWith(".") ? path : `./${path}`;
}

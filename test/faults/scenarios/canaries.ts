import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Run, stillpress } from "../../support/archive.ts";
import { startOrigin } from "../../support/origin.ts";
import { startServe } from "../browser/serve.ts";
import { type Planted, plantCanaries, token } from "../canaries/content.ts";
import { modes, saidByModes } from "../canaries/modes.ts";
import { type Leak, leaksOf, type Said, watchProcesses } from "../canaries/scan.ts";
import type { FaultContext, Scenario } from "../scenario.ts";

/** What a series of runs came to. */
interface Series {
  figures: string[];
  leaks: Leak[];
  /** What went wrong otherwise. */
  violations: string[];
}

const formats = ["pretty", "plain", "ndjson"] as const;

/** Tokens, signatures and private images stay where they belong, whatever the origin and the runs do. */
export const canaries: Scenario = {
  name: "canaries",
  what: "secrets that the origin repeats everywhere, in every file and every word of every run",
  async run(context) {
    const planted = await plantCanaries({ encoded: false });
    const encoded = await plantCanaries({ encoded: true });
    for (const { signatures } of [planted, encoded]) signatures.push(saidByModes);
    const found: Series[] = [await runCommands(context, planted)];
    const names = Object.keys(modes);
    for (const [at, name] of names.entries()) {
      context.note(`${at + 1} of ${names.length}: an origin that ${name}`);
      const chosen = context.long ? formats : [formats[at % formats.length] ?? "plain"];
      for (const format of chosen) found.push(await runAgainst(context, planted, name, format));
    }
    // A guard may refuse such an archive; it must not let it out.
    found.push(await runAgainst(context, encoded, "repeats the token percent-encoded", "plain"));
    found.push(await misconfigured(context, planted));
    return {
      figures: found.flatMap(({ figures }) => figures),
      violations: [
        ...found.flatMap(({ violations }) => violations),
        ...tallied(found.flatMap(({ leaks }) => leaks)),
      ],
    };
  },
};

/** A bench for one series of runs: origin, configuration, output folder. */
async function startBench(folder: string, planted: Planted, mode: string | undefined) {
  mkdirSync(folder);
  const out = join(folder, "out");
  mkdirSync(out);
  const origin = await startOrigin({
    content: planted.content,
    tokens: { organisation: token, user: "user-token" },
    privateInAttachments: true,
    intercept: (mode === undefined ? undefined : modes[mode]?.()) ?? null,
  });
  const configFile = join(folder, "config.json");
  const config = {
    origin: { baseUrl: origin.baseUrl, rate: { requests: 100_000, perSeconds: 1 } },
    crawl: { privateImages: "include" },
    media: { formats: ["jpeg"], variants: [] },
    site: { url: "https://archive.example" },
    out,
  };
  writeFileSync(configFile, JSON.stringify(config));
  return { origin, out, configFile, config };
}

/** Runs the command with the token in its environment, its processes watched. */
async function watched(args: readonly string[]): Promise<Run & { said: Said[] }> {
  let stop = (): Said[] => [];
  const run = await stillpress(args, {
    env: { STILLPRESS_TOKEN: token },
    started(child) {
      if (child.pid !== undefined) stop = watchProcesses(child.pid).stop;
    },
  });
  const name = args[0] ?? "";
  return {
    ...run,
    said: [
      { what: `stdout of ${name}`, text: run.stdout },
      { what: `stderr of ${name}`, text: run.stderr },
      ...stop(),
    ],
  };
}

/** Every command, one after the other, in one format of the log after the other. */
async function runCommands({ folder, note }: FaultContext, planted: Planted): Promise<Series> {
  const { origin, out, configFile } = await startBench(
    join(folder, "commands"),
    planted,
    undefined,
  );
  const said: Said[] = [];
  const codes: string[] = [];
  try {
    const commands = [
      ["crawl"],
      ["media", "--json"],
      ["build"],
      ["snapshot", "--json"],
      ["hosts", "all"],
      ["compare", "--origin", origin.baseUrl, "--mirror", origin.baseUrl, "--sample", "60"],
      ["verify", "--base-url", origin.baseUrl],
    ];
    for (const [at, [name = "", ...rest]] of commands.entries()) {
      note(name);
      const format = formats[at % formats.length] ?? "plain";
      const run = await watched([name, "--config", configFile, "--log-format", format, ...rest]);
      said.push(...run.said);
      codes.push(`${name} ${run.code}`);
    }
    said.push(...(await serveOnce(configFile)));
    const violations: string[] = [];
    const sent = origin.requests.filter((one) => /signature=/.test(one.url) && one.authorization);
    if (sent.length > 0) violations.push(`the token was sent with ${sent.length} signed links`);
    const known = codes.slice(0, 4).every((code) => code.endsWith(" 0"));
    if (!known) violations.push(`the main job did not come to its end: ${codes.join(", ")}`);
    return {
      figures: [
        `commands and their exit codes: ${codes.join(", ")}`,
        `${planted.signatures.length} signatures, ${planted.privateIds.length} private images`,
      ],
      leaks: leaksOf(out, planted, said),
      violations,
    };
  } finally {
    await origin.close();
  }
}

/** What the server says while it is asked with a token and for signed links, and what it answers. */
async function serveOnce(configFile: string): Promise<Said[]> {
  const served = await startServe(configFile, ["--auth"], { STILLPRESS_TOKEN: token });
  const processes = watchProcesses(served.pid);
  const said: Said[] = [];
  for (const path of [
    "articles",
    "images?private=1",
    `images/x.jpg?expires=1&signature=${saidByModes.mark}`,
    "nothing",
  ]) {
    for (const authorization of [`Bearer ${token}`, "Bearer another"]) {
      const answer = await fetch(`${served.url}/api/v1/${path}`, { headers: { authorization } });
      said.push({ what: `an answer of serve (${path})`, text: await answer.text() });
    }
  }
  const { stdout, stderr } = await served.stop();
  said.push({ what: "stdout of serve", text: stdout }, { what: "stderr of serve", text: stderr });
  return [...said, ...processes.stop()];
}

async function runAgainst(
  { folder }: FaultContext,
  planted: Planted,
  mode: string,
  format: string,
): Promise<Series> {
  const place = join(folder, `${mode} ${format}`.replaceAll(/\W+/g, "-"));
  const { origin, out, configFile } = await startBench(place, planted, mode);
  try {
    const args = ["snapshot", "--allow-incomplete", "--config", configFile, "--log-format", format];
    const { code, said } = await watched([...args, "--json"]);
    return {
      figures: [`an origin that ${mode}: exit ${code}`],
      leaks: leaksOf(out, planted, said).map(({ what, where }) => ({
        what,
        where: `${where}, of an origin that ${mode}`,
      })),
      violations: code === 1 ? [`an origin that ${mode} makes the run end with a bug`] : [],
    };
  } finally {
    await origin.close();
  }
}

/** Configurations with the token where it does not belong, which are refused without repeating it. */
async function misconfigured({ folder }: FaultContext, planted: Planted): Promise<Series> {
  const { origin, out, configFile, config } = await startBench(
    join(folder, "config"),
    planted,
    undefined,
  );
  const repeated = encodeURIComponent(token);
  const secretUrl = origin.baseUrl.replace("//", `//user:${repeated}@`);
  const wrong: Record<string, object> = {
    "an unknown key": { ...config, origin: { ...config.origin, token } },
    "a rate that is the token": { ...config, origin: { ...config.origin, rate: token } },
    "an address with credentials": { ...config, origin: { ...config.origin, baseUrl: secretUrl } },
    "an address with a parameter": {
      ...config,
      origin: { ...config.origin, baseUrl: `${origin.baseUrl}?token=${repeated}` },
    },
  };
  const said: Said[] = [];
  const codes: string[] = [];
  try {
    for (const [name, value] of Object.entries(wrong)) {
      writeFileSync(configFile, JSON.stringify(value));
      const run = await watched(["snapshot", "--config", configFile, "--json"]);
      said.push(...run.said.map(({ what, text }) => ({ what: `${what} (${name})`, text })));
      codes.push(`${name} ${run.code}`);
    }
    return {
      figures: [`configurations and their exit codes: ${codes.join(", ")}`],
      leaks: leaksOf(out, planted, said),
      violations: [],
    };
  } finally {
    await origin.close();
  }
}

/** A line for each thing that got out, with the first place and the number of the others. */
function tallied(leaks: readonly Leak[]): string[] {
  const found = new Map<string, string[]>();
  for (const { what, where } of leaks) found.set(what, [...(found.get(what) ?? []), where]);
  return [...found].map(([what, [first, ...others]]) =>
    others.length === 0
      ? `${what} in ${first}`
      : `${what} in ${first}, and in ${others.length} other places, such as ${others.at(-1)}`,
  );
}

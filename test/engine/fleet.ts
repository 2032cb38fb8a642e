import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Report } from "../../src/publish/report.ts";
import {
  command,
  type Press,
  type PressOptions,
  type Run,
  type RunSettings,
  startPress,
  stillpress,
} from "../support/archive.ts";
import { type Redis, type RedisOptions, startRedis } from "../support/redis.ts";

/** A clock that stands still, so that trees can be compared. */
const epoch = "1750000000";

export interface FleetOptions {
  press?: PressOptions;
  redis?: RedisOptions;
  /** Merged into the setting `engine`. */
  engine?: Record<string, unknown>;
  environment?: Record<string, string>;
}

export interface Worker {
  child: ChildProcess;
  /** All that it has printed. */
  text(): string;
  /** Ends it with a signal; its exit code, or the signal. */
  end(signal?: NodeJS.Signals): Promise<number | string | null>;
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/** An origin, a Redis, a shared place, and a configuration for runs and workers. */
export async function startFleet(options: FleetOptions = {}) {
  const press: Press = await startPress(options.press);
  const redis: Redis = await startRedis(options.redis);
  const shared = join(press.folder, "shared");
  mkdirSync(shared);
  const config = JSON.parse(readFileSync(press.configFile, "utf8"));
  const engine = { kind: "bullmq", redis: redis.url, blobs: `dir:${shared}`, patience: 20 };
  const token = press.origin.tokens.organisation;
  const env = { STILLPRESS_TOKEN: token, SOURCE_DATE_EPOCH: epoch, ...options.environment };
  const workers: Worker[] = [];
  const configFile = join(press.folder, "engine.json");

  /** Writes a configuration, with other settings of the engine. */
  function configure(file: string, own: Record<string, unknown> = {}, more: object = {}): string {
    const settings = { ...engine, ...options.engine, ...own };
    writeFileSync(file, JSON.stringify({ ...config, ...more, engine: settings }));
    return file;
  }

  async function run(name: string, args: string[] = [], settings: RunSettings = {}) {
    const all = [name, "--config", configFile, "--json", ...args];
    const done: Run = await stillpress(all, { ...settings, env: { ...env, ...settings.env } });
    const report = (done.stdout === "" ? {} : JSON.parse(done.stdout)) as Report;
    return { ...done, report };
  }

  configure(configFile);
  return {
    press,
    redis,
    shared,
    config,
    configFile,
    configure,
    run,
    /** The same run with the local engine, in another output folder. */
    async runLocally(out: string, ...args: string[]) {
      const file = configure(join(press.folder, "local.json"), { kind: "local" });
      return await stillpress(["snapshot", "--config", file, "--out", out, "--json", ...args], {
        env,
      });
    },
    async startWorker(...args: string[]): Promise<Worker> {
      const { PATH = "", HOME = "" } = process.env;
      const child = spawn(
        process.execPath,
        [command, "worker", "--config", configFile, "--concurrency", "1", ...args],
        { env: { PATH, HOME, ...env, ...options.environment } },
      );
      let text = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
      const ended = once(child, "close");
      const worker: Worker = {
        child,
        text: () => text,
        async end(signal) {
          if (signal !== undefined) child.kill(signal);
          const [code, by] = (await ended) as [number | null, string | null];
          return code ?? by;
        },
      };
      workers.push(worker);
      return worker;
    },
    async close(): Promise<void> {
      for (const { child } of workers) child.kill("SIGKILL");
      await redis.close();
      await press.close();
    },
  };
}

/** Waits until something is so. */
export async function until(isSo: () => boolean | Promise<boolean>, mostMs = 60_000) {
  for (let waited = 0; !(await isSo()); waited += 50) {
    if (waited > mostMs) throw new Error("it did not come about");
    await delay(50);
  }
}

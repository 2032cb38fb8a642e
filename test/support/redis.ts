import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./web-servers.ts";

/** Debian's package of the same name has it. */
export const redisProgram = "redis-server";

export interface RedisOptions {
  password?: string;
  /** Of `maxmemory`, with the policy that BullMQ wants. */
  bytes?: number;
  /** Writes nothing down: for measurements. */
  forgets?: boolean;
}

export type Redis = Awaited<ReturnType<typeof startRedis>>;

/** A Redis that writes down everything it is told, as soon as it is told. */
export async function startRedis({ password, bytes, forgets }: RedisOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-redis-"));
  const port = await freePort();
  const settings = [
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""],
    ...["--appendonly", forgets ? "no" : "yes", "--appendfsync", "always"],
    ...["--maxmemory-policy", "noeviction"],
    ...(password === undefined ? [] : ["--requirepass", password]),
    ...(bytes === undefined ? [] : ["--maxmemory", String(bytes)]),
  ];
  let child: ChildProcess;

  async function start(): Promise<void> {
    child = spawn(redisProgram, settings, { stdio: "ignore" });
    for (let waited = 0; !(await listens(port)); waited += 20) {
      if (waited > 10_000) throw new Error("Redis did not start");
      await delay(20);
    }
  }

  async function kill(): Promise<void> {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }

  await start();
  const user = password === undefined ? "" : `:${password}@`;
  return {
    url: `redis://${user}127.0.0.1:${port}`,
    address: `redis://127.0.0.1:${port}`,
    kill,
    start,
    /** Kills it and starts it again. @param keeps whether it has its data then */
    async restart(keeps: boolean): Promise<void> {
      await kill();
      if (!keeps) rmSync(join(folder, "appendonlydir"), { recursive: true, force: true });
      await start();
    },
    /** Every command that has changed anything, as its log on disk has them. */
    log(): string {
      const below = join(folder, "appendonlydir");
      return readdirSync(below)
        .map((name) => readFileSync(join(below, name), "latin1"))
        .join("\n");
    },
    /** What a command of Redis answers. */
    ask: (...words: string[]): Promise<string> => ask(port, password, words),
    async close(): Promise<void> {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

async function ask(port: number, password: string | undefined, words: string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  if (password !== undefined) socket.write(`AUTH ${password}\r\n`);
  socket.write(`${words.join(" ")}\r\nQUIT\r\n`);
  let answer = "";
  for await (const piece of socket) answer += String(piece);
  return answer;
}

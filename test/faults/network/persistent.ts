import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Origin } from "../../../src/demo/origin.ts";
import { exitCodes } from "../../../src/errors.ts";
import { stillpress } from "../../support/archive.ts";
import type { Finding } from "../scenario.ts";
import type { Fault } from "./fault.ts";
import { canBefall, faults } from "./faults.ts";
import { startProxy, wireOf } from "./proxy.ts";

const { gaps, credentials, origin: unusable } = exitCodes;

/** Faults at every answer, and what the command may end with. */
const expected: Readonly<Record<string, readonly number[]>> = {
  "connection refused": [unusable],
  "reset before the headers": [unusable],
  "closed in the body": [unusable],
  "no last chunk": [unusable],
  "two different lengths": [unusable],
  "a header with a zero byte": [unusable],
  "401": [credentials],
  "403": [credentials, unusable],
  "404": [unusable],
  "500": [unusable],
  "302 to itself": [unusable],
  "302 to a host of the cloud": [unusable],
  "gzip, damaged": [unusable],
  // Above the bytes that an answer may have, which is a limit of ours.
  "a gzip bomb of 1 GiB": [gaps],
  "a web page": [unusable],
  "JSON, cut, of that length": [unusable],
  "100,000 brackets": [unusable],
  "no items, total as before": [gaps],
  "zeros of the same length": [gaps],
};

/** Runs at a time: what is retried waits most of the time. */
const sideBySide = 4;
/** Retries with their waits take a while; all in all it must end. */
const maxRunMs = 180_000;

/** Runs the command on an origin all of whose answers have a fault: it must say so, and publish nothing. */
export async function runWithFaults(origin: Origin, folder: string): Promise<Finding> {
  const finding: Finding = { figures: [], violations: [] };
  const codes = new Map<number | null, number>();
  const queue = faults.filter(({ name }) => expected[name] !== undefined)[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const fault of queue) {
      const code = await runWith(origin, join(folder, fault.name.replace(/\W+/g, "-")), fault);
      codes.set(code.code, (codes.get(code.code) ?? 0) + 1);
      if (code.broken !== undefined) {
        finding.violations.push(`every answer ${fault.name}: ${code.broken}`);
      }
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
  const told = [...codes].map(([code, times]) => `${code} ${times} times`).join(", ");
  finding.figures.push(`the command with the same fault at every answer: exit ${told}`);
  return finding;
}

async function runWith(
  origin: Origin,
  folder: string,
  fault: Fault,
): Promise<{ code: number | null; broken: string | undefined }> {
  const proxy = await startProxy(origin.baseUrl);
  proxy.begin(() => (hit) => {
    const { name, answer, socket } = hit;
    if (!canBefall(fault, name, answer, proxy.known)) return void socket.write(wireOf(answer));
    return fault.befall(hit);
  });
  mkdirSync(folder, { recursive: true });
  const configFile = join(folder, "config.json");
  const out = join(folder, "out");
  const { baseUrl } = proxy;
  writeFileSync(
    configFile,
    JSON.stringify({ origin: { baseUrl, rate: { requests: 1_000_000, perSeconds: 1 } }, out }),
  );
  let timer: NodeJS.Timeout | undefined;
  try {
    const { code, stderr } = await stillpress(["snapshot", "--config", configFile, "--json"], {
      env: { STILLPRESS_TOKEN: origin.tokens.organisation },
      started: (child) => {
        timer = setTimeout(() => child.kill("SIGKILL"), maxRunMs);
      },
    });
    const last = stderr.trim().split("\n").at(-1);
    if (code === null) return { code, broken: `no end within ${maxRunMs / 1000} s` };
    if (existsSync(join(out, "public"))) return { code, broken: `exit ${code}, and published` };
    const wanted = expected[fault.name] ?? [];
    const broken = wanted.includes(code) ? undefined : `exit ${code}, expected ${wanted}: ${last}`;
    return { code, broken };
  } finally {
    clearTimeout(timer);
    await proxy.close();
  }
}

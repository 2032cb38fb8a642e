import { readdirSync, readFileSync } from "node:fs";
import { orUndefined } from "../../../src/lib/or-undefined.ts";

/** Pids of the processes that a process has started and that still run. */
function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  const threads = orUndefined(() => readdirSync(tasks)) ?? [];
  const texts = threads.map((thread) => textOf(`${tasks}/${thread}/children`));
  return texts.flatMap((text) => text.split(" ").filter(Boolean).map(Number));
}

function textOf(file: string): string {
  return orUndefined(() => readFileSync(file, "latin1")) ?? "";
}

/** Bytes that a process has in memory; 0 when it is gone. */
function residentOf(pid: number): number {
  return Number(textOf(`/proc/${pid}/statm`).split(" ")[1] ?? 0) * 4096;
}

/** Looks at the memory of a process and of all that it starts, ten times a second. */
export function watchMemory(pid: number) {
  let peak = 0;
  /** Bytes of the largest process, once for each look. */
  const largest: number[] = [];
  const look = (): void => {
    let sum = 0;
    let most = 0;
    const open = [pid];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const own = residentOf(next);
      sum += own;
      most = Math.max(most, own);
      open.push(...childrenOf(next));
    }
    peak = Math.max(peak, sum);
    largest.push(most);
  };
  const timer = setInterval(look, 100);
  return {
    /** @returns the largest sum in bytes */
    stop() {
      clearInterval(timer);
      return peak;
    },
    largest: largest as readonly number[],
  };
}

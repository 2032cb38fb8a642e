import { readdirSync, readFileSync } from "node:fs";

/** Pids by the pid of their parent, of all processes of this machine. */
function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number(/\) \S (\d+)/.exec(textOf(`/proc/${name}/stat`))?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
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
    const children = childrenByParent();
    let sum = 0;
    let most = 0;
    const open = [pid];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const own = residentOf(next);
      sum += own;
      most = Math.max(most, own);
      open.push(...(children.get(next) ?? []));
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

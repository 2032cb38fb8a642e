import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Pids of the running processes of a session, which is named after the process that began it. */
function processesOf(session: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => sessionOf(pid) === session);
}

/** The session of a process; undefined where it has ended, also if nobody has taken notice yet. */
function sessionOf(pid: number): number | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined;
  }
  // "pid (name) state parent group session …"; the name may hold spaces and brackets.
  const [state, , , session] = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? undefined : Number(session);
}

/**
 * The processes that are still there `patienceMs` after the one that began their session was killed: its children and
 * theirs, whatever they were given of its environment.
 */
export async function survivorsOf(session: number, patienceMs = 2_000): Promise<number[]> {
  const until = performance.now() + patienceMs;
  let left = processesOf(session);
  while (left.length > 0 && performance.now() < until) {
    await sleep(50);
    left = processesOf(session);
  }
  return left;
}

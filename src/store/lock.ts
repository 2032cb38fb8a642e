import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { z } from "zod";
import { exitCodes, StoreError } from "../errors.ts";
import { type Disk, nodeDisk, withFile } from "../lib/disk.ts";
import { isErrno, readText, removeQuietly, settleFolder, writeFully } from "../lib/files.ts";
import { orUndefined } from "../lib/or-undefined.ts";

export const Holder = z.object({
  pid: z.int(),
  host: z.string(),
  /** When the process started, milliseconds since 1970: tells it from a later one with the same pid. */
  started: z.number().optional(),
  /** The same in clock ticks since the machine started; Linux only, as the next two. */
  ticks: z.string().optional(),
  /** Another one after each start of the machine. */
  boot: z.string().optional(),
  /** Of pids: each container has its own, and containers can share a host's name. */
  namespace: z.string().optional(),
  /** Another one for each taking. It becomes part of a file's name. */
  token: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
});
export type Holder = z.infer<typeof Holder>;

/** A held lock. Call it to release the lock. */
export type HeldLock = ReturnType<typeof takeLock>;

interface Lock {
  path: string;
  holder: Holder;
  disk: Disk;
}

/** A lock that cannot be read, and so may be in the making, is taken over after this long. */
const unreadableAfterMs = 60_000;
/** The holder touches its lock this often. */
const touchEveryMs = 15_000;
/** The processes of another host or container cannot be asked: their lock is taken over when untouched for so long. */
const silentAfterMs = 5 * 60_000;

/** This process, as others may recognise it. */
export function thisProcess(): Omit<Holder, "token"> {
  return {
    pid: process.pid,
    host: hostname(),
    started: Math.round(performance.timeOrigin),
    ticks: startTicks(process.pid),
    boot: orUndefined(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    namespace: orUndefined(() => readlinkSync("/proc/self/ns/pid")),
  };
}

/**
 * Takes the lock of an output folder for this process. A lock whose process is gone is taken over.
 *
 * @param options.onLost hears once that another run has taken it over, such as when this process stood still
 * @throws StoreError with exit code 6 when another run holds it
 */
export function takeLock(
  path: string,
  options: { own?: Omit<Holder, "token">; onLost?: (error: StoreError) => void; disk?: Disk } = {},
) {
  const { own = thisProcess(), onLost, disk = nodeDisk } = options;
  settleFolder(dirname(path), disk);
  const lock: Lock = { path, holder: { ...own, token: randomUUID() }, disk };
  if (!acquire(lock, path)) {
    const hint = "wait for it to end; if you are sure that it is gone, delete the file";
    throw refusal(`${path}: locked by ${holderOf(lock)}`, hint);
  }
  let touchedAt = performance.now();
  /** False when the lock is lost. After a failure, the next time may succeed. */
  const showAlive = (): boolean => {
    touchedAt = performance.now();
    const state = orUndefined(() => stateOf(lock));
    if (state === "ours") orUndefined(() => disk.touch(path));
    return state !== "lost";
  };
  const touching = setInterval(() => {
    if (showAlive()) return;
    clearInterval(touching);
    onLost?.(lostTo(lock));
  }, touchEveryMs).unref();
  const release = (): void => {
    clearInterval(touching);
    if (stateOf(lock) === "ours") disk.remove(path);
  };
  /** @throws StoreError with exit code 6 when another run has taken the lock over */
  const ensure = (): void => {
    if (stateOf(lock) === "lost") throw lostTo(lock);
  };
  const touchInTime = (): void => {
    if (performance.now() - touchedAt >= touchEveryMs) showAlive();
  };
  /** For long work that leaves timers no turn: its calls keep the lock alive, and each rename proves it first. */
  const held: Disk = {
    ...disk,
    read(...call) {
      touchInTime();
      return disk.read(...call);
    },
    write(...call) {
      touchInTime();
      return disk.write(...call);
    },
    rename(from, to) {
      ensure();
      disk.rename(from, to);
    },
  };
  return Object.assign(release, { ensure, disk: held });
}

/** Lost when another run has it, or it was deleted. One that just cannot be read may still be ours. */
function stateOf({ path, holder, disk }: Lock): "ours" | "lost" | "unreadable" {
  const found = readHolder(path, disk);
  if (found !== undefined) return found.token === holder.token ? "ours" : "lost";
  return disk.stat(path) === undefined ? "lost" : "unreadable";
}

/**
 * Creates a lock file, or replaces a stale one. Of several runs that find it, only the one with the guard file may:
 * another one could remove the lock that has just replaced the stale one. The guard is itself a lock: one whose
 * process is gone stops nobody.
 */
function acquire(lock: Lock, path: string): boolean {
  const { disk } = lock;
  if (createWhole(lock, path)) return true;
  if (!isStale(lock, path)) return false;
  const guard = `${path}.guard`;
  if (!acquire(lock, guard)) return false;
  try {
    if (!isStale(lock, path)) return false;
    // Its process may have been killed before it removed its temporary file.
    const left = `${path}.${readHolder(path, disk)?.token}`;
    disk.remove(path);
    removeQuietly(left, disk);
    return createWhole(lock, path);
  } finally {
    disk.remove(guard);
  }
}

/** Creates a lock file with its content at once, so that nobody reads a part of it; false where it exists. */
function createWhole({ holder, disk }: Lock, path: string): boolean {
  const temporary = `${path}.${holder.token}`;
  try {
    createPlain(temporary, holder, disk);
    try {
      disk.link(temporary, path);
    } catch (error) {
      if (!isErrno(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK")) throw error;
      // Without hard links it may be seen empty for a moment.
      createPlain(path, holder, disk);
    }
    return true;
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false;
    throw error;
  } finally {
    removeQuietly(temporary, disk);
  }
}

function createPlain(path: string, holder: Holder, disk: Disk): void {
  withFile(path, "wx", disk, (handle) => {
    writeFully(handle, Buffer.from(`${JSON.stringify(holder)}\n`), undefined, disk);
    // After a power cut it shall be a lock of another boot, and not one that cannot be read.
    disk.sync(handle);
  });
}

/** Whether the process of a lock is gone. A lock that cannot be read may be in the making. */
function isStale({ holder: own, disk }: Lock, path: string): boolean {
  const holder = readHolder(path, disk);
  const now = Date.now();
  const age = now - (disk.stat(path)?.modifiedMs ?? now);
  return holder === undefined ? age > unreadableAfterMs : !isAlive(holder, own, age);
}

function readHolder(path: string, disk: Disk): Holder | undefined {
  return orUndefined(() => Holder.parse(JSON.parse(readText(path, disk) ?? "")));
}

/** Whether the process of a lock may still run. @param age milliseconds since the lock was touched */
export function isAlive(holder: Holder, own: Holder, age: number): boolean {
  const elsewhere = holder.host !== own.host || differ(holder.namespace, own.namespace);
  if (elsewhere) return age <= silentAfterMs;
  if (differ(holder.boot, own.boot)) return false;
  // In a container each run can have the same pid.
  if (holder.pid === own.pid) return holder.started === own.started;
  return isRunning(holder.pid) && !differ(holder.ticks, startTicks(holder.pid));
}

/** Whether two values are known and differ. */
function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/**
 * Whether a process of this host runs. A zombie does not: it keeps its pid until its parent asks how it ended, which
 * the first process of many containers never does.
 */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!isErrno(error, "EPERM")) return false;
  }
  // Zombie and dead, as Linux writes them.
  return !/^[ZXx]$/.test(statFields(pid)?.[0] ?? "");
}

/** Field 22 of Linux's /proc/{pid}/stat. */
function startTicks(pid: number): string | undefined {
  return statFields(pid)?.[19];
}

/** Fields of Linux's /proc/{pid}/stat from the third on, the process's state; undefined on other systems. */
function statFields(pid: number): string[] | undefined {
  // The program's name, in parentheses, may hold anything; field 3 follows it.
  const text = orUndefined(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  return text?.split(") ").at(-1)?.split(" ");
}

function lostTo(lock: Lock): StoreError {
  const hint =
    "this run stood still for too long, or somebody deleted the file; wait for the other run to end";
  return refusal(`${lock.path}: lost to ${holderOf(lock)}, which took it over`, hint);
}

function refusal(message: string, hint: string): StoreError {
  return new StoreError(message, { exitCode: exitCodes.locked, hint });
}

function holderOf({ path, disk }: Lock): string {
  const holder = readHolder(path, disk);
  return holder === undefined ? "another run" : `process ${holder.pid} on ${holder.host}`;
}

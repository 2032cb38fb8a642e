import { randomUUID } from "node:crypto";
import { linkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { exitCodes, StoreError } from "../errors.ts";
import { isErrno, makeFolder, readText } from "../lib/files.ts";

interface Holder {
  pid: number;
  host: string;
  /** When the process started, milliseconds since 1970: tells it from a later one with the same pid. */
  started: number;
  /** Of this taking. */
  token: string;
}

/** A guard file that a crash left behind is removed after this long. */
const guardAgeMs = 60_000;

/**
 * Takes the lock of an output folder for this process; returns the function that gives it back.
 * A lock whose process is gone is taken over.
 *
 * @throws StoreError with exit code 6 when another run holds it
 */
export function takeLock(path: string): () => void {
  makeFolder(dirname(path));
  const own: Holder = {
    pid: process.pid,
    host: hostname(),
    started: Math.round(performance.timeOrigin),
    token: randomUUID(),
  };
  if (!createWhole(path, own) && !takeOver(path, own)) throw lockedBy(path, readHolder(path));
  return () => {
    // Not what somebody else has taken over since.
    if (readHolder(path)?.token === own.token) rmSync(path, { force: true });
  };
}

/**
 * Replaces a stale lock. Of several who find the same stale lock only the one with the guard file may: the
 * others could remove not the stale lock, but the one that has just replaced it.
 */
function takeOver(path: string, own: Holder): boolean {
  if (!isStale(path)) return false;
  const guard = `${path}.guard`;
  if (!createWhole(guard, own)) {
    if (ageMs(guard) > guardAgeMs) rmSync(guard, { force: true });
    return false;
  }
  try {
    if (!isStale(path)) return false;
    rmSync(path, { force: true });
    return createWhole(path, own);
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Creates a file with its content at once, so that nobody reads a part of it; false where it exists. */
function createWhole(path: string, holder: Holder): boolean {
  const temporary = `${path}.${holder.token}`;
  const text = `${JSON.stringify(holder)}\n`;
  writeFileSync(temporary, text, { flag: "wx" });
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false;
    if (!isErrno(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK")) throw error;
    return createPlain(path, text);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The same where the file system has no hard links; it may be seen empty for a moment. */
function createPlain(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false;
    throw error;
  }
}

/** Whether a lock is there whose process is gone. One that cannot be read may be in the making. */
function isStale(path: string): boolean {
  const holder = readHolder(path);
  return holder === undefined ? ageMs(path) > guardAgeMs : !isAlive(holder);
}

function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readText(path) ?? "") as Holder;
  } catch {
    return undefined;
  }
}

/** Milliseconds since a file was written; 0 where there is none. */
function ageMs(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

/** A process of another host cannot be asked, and counts as alive. */
function isAlive({ pid, host, started }: Holder): boolean {
  if (host !== hostname()) return true;
  // In a container each run can have the same pid.
  if (pid === process.pid) return started === Math.round(performance.timeOrigin);
  return isRunning(pid);
}

/** Whether a process of this host is there. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isErrno(error, "EPERM");
  }
}

function lockedBy(path: string, holder: Holder | undefined): StoreError {
  const who = holder === undefined ? "another run" : `process ${holder.pid} on ${holder.host}`;
  return new StoreError(`${path}: locked by ${who}`, {
    exitCode: exitCodes.locked,
    hint: "wait for it to end; if it is surely gone, delete the file",
  });
}

import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { exitCodes, StoreError } from "../errors.ts";
import { isErrno, writeFully } from "../lib/files.ts";

interface Holder {
  pid: number;
  host: string;
}

/**
 * Takes the lock of an output folder for this process; returns the function that gives it back.
 * A lock whose process is gone is taken over.
 *
 * @throws StoreError with exit code 6 when another run holds it
 */
export function takeLock(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true });
  for (let attempt = 0; ; attempt++) {
    try {
      const handle = openSync(path, "wx");
      writeFully(
        handle,
        Buffer.from(`${JSON.stringify({ pid: process.pid, host: hostname() })}\n`),
      );
      closeSync(handle);
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (!isErrno(error, "EEXIST")) throw error;
      const holder = readHolder(path);
      if (attempt > 0 || holder === undefined || isAlive(holder)) {
        const who =
          holder === undefined ? "another run" : `process ${holder.pid} on ${holder.host}`;
        throw new StoreError(`${path}: locked by ${who}`, {
          exitCode: exitCodes.locked,
          hint: "wait for it to end; if it is surely gone, delete the file",
        });
      }
      rmSync(path, { force: true });
    }
  }
}

function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

/** A process of another host cannot be asked, and counts as alive. */
function isAlive({ pid, host }: Holder): boolean {
  if (host !== hostname()) return true;
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isErrno(error, "EPERM");
  }
}

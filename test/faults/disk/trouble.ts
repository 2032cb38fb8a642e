/** The machine stopped: no call of the disk does anything any more. */
export class Crash extends Error {}

/** A failure of a write that takes a part of the bytes, and says so. */
export const shortWrite = "SHORT";

/** The calls of a disk, which fail in different ways. */
export type CallKind =
  | "open"
  | "create"
  | "close"
  | "read"
  | "write"
  | "cut"
  | "sync"
  | "list"
  | "makeFolder"
  | "rename"
  | "link"
  | "remove";

export interface Trouble {
  /** Change at which the machine stops; from 1 on, in the order in which they are made. */
  crashAt?: number;
  /** Share of the bytes of a write that stops the machine which still reach the operating system. */
  lastShare?: number;
  /** Call that fails, once; from 1 on, in the order in which they are made. */
  failAt?: number;
  /** The code with which it fails. */
  code?: string;
}

/** Counts what is done to a disk, and lets it go wrong. */
export interface Counter {
  readonly calls: readonly CallKind[];
  readonly changes: number;
  readonly crashed: boolean;
  /** Counts a call. @throws what is to go wrong with it */
  call(kind: CallKind, path: string): void;
  /** Counts a change; `partly` is what of it still happens when the machine stops there. @throws Crash */
  change(partly?: () => void): void;
}

export function countTrouble(trouble: Trouble): Counter {
  const calls: CallKind[] = [];
  let changes = 0;
  let crashed = false;
  return {
    calls,
    get changes() {
      return changes;
    },
    get crashed() {
      return crashed;
    },
    call(kind, path) {
      if (crashed) throw new Crash("the machine has stopped");
      calls.push(kind);
      if (calls.length === trouble.failAt) throw errno(trouble.code ?? "EIO", path);
    },
    change(partly) {
      changes++;
      if (changes !== trouble.crashAt) return;
      partly?.();
      crashed = true;
      throw new Crash("the machine stops");
    },
  };
}

export function errno(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code, path, syscall: "simulated" });
}

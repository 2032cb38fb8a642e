import type { MediaEntry } from "../../../src/store/media.ts";

/** What is sure to be there: names of tasks, digests of objects and blobs, and how many entries of an id. */
export interface Kept {
  names: Set<string>;
  entries: Map<string, number>;
}

/** What the store was given, and what it has acknowledged of that: the one thing that a crash may not touch. */
export interface Ledger {
  /** Raw text of every object that was ever put, by digest. */
  objects: Map<string, string>;
  /** Every entry that was ever put, by id, in order. */
  entries: Map<string, MediaEntry[]>;
  /** Every blob that was ever given, by digest. */
  blobs: Map<string, Uint8Array>;
  /** What survives the process. */
  flushed: Kept;
  /** What survives the machine. */
  durable: Kept;
  /** Night whose commit has returned; -1 before the first. */
  committed: number;
  /** Night whose commit was begun. */
  begun: number;
  /** Whether a draft of other settings was replaced. */
  corrected: boolean;
}

const newKept = (): Kept => ({ names: new Set(), entries: new Map() });

export function newLedger(): Ledger {
  return {
    objects: new Map(),
    entries: new Map(),
    blobs: new Map(),
    flushed: newKept(),
    durable: newKept(),
    committed: -1,
    begun: -1,
    corrected: false,
  };
}

const copyOfKept = ({ names, entries }: Kept): Kept => ({
  names: new Set(names),
  entries: new Map(entries),
});

export function copyOf(ledger: Ledger): Ledger {
  return {
    ...ledger,
    objects: new Map(ledger.objects),
    entries: new Map(ledger.entries),
    blobs: new Map(ledger.blobs),
    flushed: copyOfKept(ledger.flushed),
    durable: copyOfKept(ledger.durable),
  };
}

/** Writes down that all objects survive the machine that survived the process. */
export function settleObjects({ flushed, durable }: Ledger): void {
  for (const name of flushed.names) if (!name.startsWith(taskPrefix)) durable.names.add(name);
}

/** The same of all tasks. */
export function settleTasks({ flushed, durable }: Ledger): void {
  for (const name of flushed.names) if (name.startsWith(taskPrefix)) durable.names.add(name);
}

/** The same of all media entries. */
export function settleEntries({ flushed, durable }: Ledger): void {
  durable.entries = new Map(flushed.entries);
}

/** Writes down that something survives the process and the machine. */
export function keep({ flushed, durable }: Ledger, name: string): void {
  flushed.names.add(name);
  durable.names.add(name);
}

/** Writes down that only what survives the machine is left. */
export function loseFlushed(ledger: Ledger): void {
  ledger.flushed = copyOfKept(ledger.durable);
}

/** Writes down that a night's tasks are wanted no more. */
export function forgetTasks({ flushed, durable }: Ledger): void {
  for (const { names } of [flushed, durable]) {
    for (const name of names) if (name.startsWith(taskPrefix)) names.delete(name);
  }
}

const taskPrefix = "task ";

/** A task's name among what is kept. */
export const taskName = (task: string): string => `${taskPrefix}${task}`;

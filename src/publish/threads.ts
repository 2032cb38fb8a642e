import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import type { LearnedSignatures } from "../api/signatures.ts";
import type { Config } from "../config.ts";
import { append } from "../lib/many.ts";
import { startThread } from "../lib/threads.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import type { MakerOptions } from "./maker.ts";
import { noRowsTaken, type PlacedFile, type Shares, shareOf, ThreadFailure } from "./shares.ts";

/** What another thread needs to make files of the same build: plain data. */
export interface ThreadInput
  extends Pick<MakerOptions, "staging" | "last" | "keysHold" | "searchAll" | "now"> {
  config: Config;
  /** Folder of the store, whose latest media entries are shown. */
  store: string;
  manifest: SnapshotManifest;
  templates: string;
  secrets: readonly string[];
  signatures: LearnedSignatures;
  /** Blobs of originals that are not published. */
  withheld: readonly string[];
  /** Manifest of the published files; undefined where nothing is known of any. */
  before: string | undefined;
}

/** What a thread gets. */
export interface ThreadShare {
  input: ThreadInput;
  taken: Int8Array;
  own: number;
}

/** What a thread says: files that it has made, and at last that it has made all. */
export type ThreadAnswer = PlacedFile[] | "all made";

/** A thread takes a second or more to start, and where little is rendered there is little to share. */
const renderedAlone = 1_000;
const mostThreads = 4;

/** Each other thread takes about as much memory as this process has when it is to start; half may be left to others. */
function othersInMemory(): number {
  return Math.floor(process.availableMemory() / (2 * process.memoryUsage.rss()));
}

/**
 * Shares the making of a build's files with threads.
 *
 * @param workers number of threads with this one; with "auto", others start once much was rendered
 */
export function shareWithThreads(workers: Config["build"]["workers"], input: ThreadInput): Shares {
  const isAuto = workers === "auto";
  const taken = noRowsTaken();
  const isMine = shareOf(taken, 0);
  const running: ReturnType<typeof follow>[] = [];
  const made: PlacedFile[] = [];
  let failed: ThreadFailure | undefined;
  let rendered = 0;

  function start(own: number): void {
    const worker = startThread("thread", import.meta.url, { input, taken, own });
    const thread = follow(worker, (files) => append(made, files));
    thread.ended.catch((error) => {
      failed ??= error;
    });
    running.push(thread);
  }

  function startOthers(others: number): void {
    for (let own = 1; own <= others; own++) start(own);
  }

  if (!isAuto) startOthers(workers - 1);
  return {
    isMine(at, file) {
      if (failed !== undefined) throw failed;
      return isMine(at, file);
    },
    onRendered() {
      if (!isAuto || ++rendered !== renderedAlone) return;
      const most = Math.min(availableParallelism(), mostThreads) - 1;
      startOthers(Math.min(most, othersInMemory()));
    },
    async others() {
      await Promise.all(running.map(({ ended }) => ended));
      return made;
    },
    async close() {
      await Promise.all(running.map(({ worker }) => worker.terminate()));
    },
  };
}

/** `ended`: settled when a thread has ended. Rejected with a ThreadFailure, unless it has made all. */
function follow(worker: Worker, onMade: (files: PlacedFile[]) => void) {
  let isWhole = false;
  let reason: string | undefined;
  worker.on("message", (answer: ThreadAnswer) => {
    if (answer === "all made") isWhole = true;
    else onMade(answer);
  });
  worker.on("error", ({ message }) => {
    reason = message;
  });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once("exit", (code) => {
      if (isWhole) resolve();
      else reject(new ThreadFailure(reason ?? `exit code ${code}`));
    });
  });
  return { worker, ended };
}

import { createHash } from "node:crypto";
import { join } from "node:path";
import { StoreError } from "../errors.ts";
import { filePieces } from "../lib/digest.ts";
import { isErrno } from "../lib/files.ts";
import { otherWork } from "../lib/other-work.ts";
import type { Reporter } from "../lib/reporter.ts";
import { builtFilesOf } from "../publish/manifest.ts";
import type { BuildRecord } from "../publish/record.ts";
import type { Pieces } from "./zip-writer.ts";

/** What is packed, and where to. */
export interface PackInput {
  /** Path of the pack; nothing stands there. */
  path: string;
  build: string;
  record: BuildRecord;
  reporter: Reporter;
  signal: AbortSignal;
}

/** What a pack has become: files of the archive in it, and its size. */
export interface Pack {
  files: number;
  bytes: number;
}

/** Adds contents up while they pass. */
export function createSums<A extends string>(algorithms: readonly A[]) {
  const sums = algorithms.map((algorithm) => [algorithm, createHash(algorithm)] as const);
  let bytes = 0;
  return {
    async *through(content: Pieces): AsyncGenerator<Uint8Array> {
      for await (const piece of content) {
        bytes += piece.length;
        for (const [, sum] of sums) sum.update(piece);
        yield piece;
      }
    },
    /** What has passed, and its digests in hexadecimal; the last call. */
    end() {
      const digests = sums.map(([algorithm, sum]) => [algorithm, sum.digest("hex")] as const);
      return { bytes, ...(Object.fromEntries(digests) as Record<A, string>) };
    },
  };
}

/**
 * Each file of the published archive, with its content.
 *
 * @throws StoreError where one is not what the manifest says
 * @throws the signal's reason
 */
export async function* publishedFiles({ build, record, reporter, signal }: PackInput) {
  const stage = reporter.stage("packing", record.totals.files);
  for await (const file of builtFilesOf(build)) {
    const content = (): Pieces => intact(join(build, "public", file.path), file.sha256);
    yield { file, content };
    stage.advance();
    await otherWork();
    signal.throwIfAborted();
  }
  stage.end();
}

/** The content of a file. @throws StoreError at its end where it has not this digest */
export async function* intact(path: string, sha256: string): AsyncGenerator<Uint8Array> {
  const sums = createSums(["sha256"]);
  try {
    yield* sums.through(filePieces(path));
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
    throw damaged(`${path} is missing`);
  }
  if (sums.end().sha256 !== sha256) throw damaged(`${path} is damaged`);
}

function damaged(what: string): StoreError {
  return new StoreError(what, { hint: 'nothing was packed; run "stillpress repair"' });
}

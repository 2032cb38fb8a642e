import { z } from "zod";
import { exitCodes, TargetError } from "../errors.ts";
import { FileList } from "../lib/file-list.ts";
import { isBlob } from "../store/kept-files.ts";
import { isBelow, type Target, type TargetObject } from "../targets/target.ts";
import { readSummed, summedObject } from "../upload/summed.ts";

/** A file of a store, as the index of a state lists it. */
export interface StoredFile {
  /** Relative to the store. */
  path: string;
  bytes: number;
  sha256: string;
}

const IndexHead = z.object({
  /** Version of this form. */
  stillpressState: z.literal(1),
});

/** What a store consisted of when it was saved. */
export interface StateIndex extends z.infer<typeof IndexHead> {
  files: FileList<StoredFile>;
}

export const indexKey = "index.ndjson";

/** Where a file of a state lies: under its content, so that what an earlier index names stays what it was. */
export function keyOfFile({ path, sha256 }: StoredFile): string {
  return isBlob(path) ? path : `files/${sha256}`;
}

export function indexObject({ files, ...head }: StateIndex): TargetObject {
  return summedObject(indexKey, head, files.pieces());
}

/** The index of a state; undefined where there is none. @throws TargetError where it is damaged, or names what it must not */
export async function readIndex(target: Target): Promise<StateIndex | undefined> {
  try {
    return await target.read(indexKey, async ({ body }) => {
      const files = new FileList<StoredFile>();
      const head = await readSummed(body, (line) => files.addLine(line));
      for (const path of files.keys())
        if (!isBelow(path)) throw new SyntaxError(`${path} lies elsewhere`);
      return { ...IndexHead.parse(head), files };
    });
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof z.ZodError)) throw cause;
    throw new TargetError(`${target.name}: the state's ${indexKey} is damaged, or no state`, {
      exitCode: exitCodes.damaged,
      hint: "save it again from a machine that has the store",
      cause,
    });
  }
}

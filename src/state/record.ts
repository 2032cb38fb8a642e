import { join } from "node:path";
import { z } from "zod";
import { readText, writeDurably } from "../lib/files.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { stateRecordName } from "../store/kept-files.ts";

/** Which state a store was restored from, or saved as, last. */
const StateRecord = z.object({
  target: z.string(),
  generation: z.int(),
  /** Whether blobs of the state were left where they are, so that a store without them does not say that they are gone. */
  withoutBlobs: z.boolean(),
});
export type StateRecord = z.infer<typeof StateRecord>;

export function readStateRecord(store: string): StateRecord | undefined {
  return orUndefined(() =>
    StateRecord.parse(JSON.parse(readText(join(store, stateRecordName)) ?? "")),
  );
}

export function writeStateRecord(store: string, record: StateRecord): void {
  writeDurably(join(store, stateRecordName), `${JSON.stringify(record)}\n`);
}

import { join } from "node:path";
import { z } from "zod";
import { readText, writeDurably } from "../lib/files.ts";
import { orUndefined } from "../lib/or-undefined.ts";

/** Which state a store was restored from, or saved as, last. */
const StateRecord = z.object({
  target: z.string(),
  generation: z.int(),
  /** Whether blobs of the state were left where they are, so that a store without them does not say that they are gone. */
  withoutBlobs: z.boolean(),
});
export type StateRecord = z.infer<typeof StateRecord>;

/** In a store; no part of its state. */
export const recordName = "state.json";

export function readStateRecord(store: string): StateRecord | undefined {
  return orUndefined(() => StateRecord.parse(JSON.parse(readText(join(store, recordName)) ?? "")));
}

export function writeStateRecord(store: string, record: StateRecord): void {
  writeDurably(join(store, recordName), `${JSON.stringify(record)}\n`);
}

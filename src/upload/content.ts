import type { TargetObject } from "../targets/target.ts";
import type { Deployed } from "./deployed.ts";

/** A file of an archive as an object. */
export interface ArchiveObject extends TargetObject {
  /** Path and query of the request that it answers, where that is not its key. */
  url?: string | undefined;
}

/** Steps in which objects of one kind are sent. */
export const ranks = 5;

/** What a target is to hold. */
export interface UploadContent {
  kind: Deployed["kind"];
  /** Equal contents have equal names. */
  name: string;
  /** The latest time of a file, in seconds since 1970. */
  newest: number;
  objects(): Iterable<ArchiveObject>;
  /** Step in which a key is sent, among the new ones or among the others: from 0 on, below `ranks`. */
  rankOf(key: string): number;
  /** @throws GuardError where the target has what this must not replace */
  refuse(target: string, deployed: Deployed): void;
}

import type { Kind } from "./row.ts";
import { fileKinds } from "./rows-files.ts";
import { listKinds } from "./rows-lists.ts";
import { objectKinds } from "./rows-objects.ts";

/** All of the contract, in the order of the table of hosts. */
export const kinds: readonly Kind[] = [...listKinds, ...objectKinds, ...fileKinds];

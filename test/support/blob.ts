import { sha256 } from "../../src/lib/digest.ts";
import { writeDurably } from "../../src/lib/files.ts";
import type { Store } from "../../src/store/store.ts";

/** Puts bytes into a store as a blob, at once; returns their digest. */
export function putBlob({ blobs }: Pick<Store, "blobs">, bytes: Uint8Array): string {
  const digest = sha256(bytes);
  writeDurably(blobs.own.pathOf(digest), bytes);
  return digest;
}

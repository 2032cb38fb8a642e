import { statSync } from "node:fs";
import { fileSha256 } from "../lib/digest.ts";
import { createTable } from "../store/table.ts";

/** SHA-256 of files, of which several names may be one: each is read once. */
export interface Digests {
  /** Lower-case hexadecimal; empty for a file that cannot be read, which no digest equals. */
  of(path: string): string;
  /** Bytes that were read. */
  readonly bytes: number;
}

const words = 8;

export function createDigests(): Digests {
  // A published image is the blob by another name, and so it is in every build that is kept.
  const known = createTable(words);
  let bytes = 0;

  function of(path: string): string {
    const { dev, ino, nlink, size } = statSync(path, { bigint: true });
    const name = `${dev}:${ino}`;
    const found = nlink > 1n ? known.get(name) : undefined;
    if (found !== undefined) return hexOf(found);
    const digest = fileSha256(path);
    bytes += Number(size);
    if (nlink > 1n) known.set(name, ...wordsOf(digest));
    return digest;
  }

  return {
    get bytes() {
      return bytes;
    },
    of(path) {
      try {
        return of(path);
      } catch {
        // A bad sector, or a file that has gone since it was listed.
        return "";
      }
    },
  };
}

function wordsOf(digest: string): number[] {
  return Array.from({ length: words }, (_, n) =>
    Number.parseInt(digest.slice(n * 8, n * 8 + 8), 16),
  );
}

function hexOf(numbers: Uint32Array): string {
  return Array.from(numbers, (word) => word.toString(16).padStart(8, "0")).join("");
}

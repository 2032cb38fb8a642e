import { statSync } from "node:fs";
import { fileSha256 } from "../lib/digest.ts";

/** SHA-256 of files, of which several names may be one: each is read once. */
export class Digests {
  bytes = 0;
  /** By device and inode: a published image is the blob by another name, and so it is in every build that is kept. */
  readonly #known = new Map<string, string>();

  /** Lower-case hexadecimal; empty for a file that cannot be read, which no digest equals. */
  of = (path: string): string => {
    try {
      const { dev, ino, size } = statSync(path, { bigint: true });
      const name = `${dev}:${ino}`;
      const digest = this.#known.get(name) ?? fileSha256(path);
      if (!this.#known.has(name)) this.bytes += Number(size);
      this.#known.set(name, digest);
      return digest;
    } catch {
      // A bad sector, or a file that has gone since it was listed.
      return "";
    }
  };
}

import { statSync } from "node:fs";
import { fileSha256 } from "../lib/digest.ts";

export class Digests {
  bytes = 0;
  /** By device and inode: a published image is a blob under another name, in every build. */
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
      // A bad sector, or a vanished file.
      return "";
    }
  };
}

import { createHash, hash } from "node:crypto";
import { nodeDisk, withFile } from "./disk.ts";

/** Lower-case hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}

const chunkBytes = 1 << 20;

/** SHA-256 of a file in lower-case hexadecimal, read piece by piece. @throws the error of node:fs */
export function fileSha256(path: string, disk = nodeDisk): string {
  const hashed = createHash("sha256");
  const chunk = Buffer.allocUnsafe(chunkBytes);
  withFile(path, "r", disk, (handle) => {
    const next = (from: number): number => disk.read(handle, chunk, 0, chunk.length, from);
    let at = 0;
    for (let read = next(at); read > 0; read = next(at)) {
      hashed.update(chunk.subarray(0, read));
      at += read;
    }
  });
  return hashed.digest("hex");
}

/**
 * Short digest of several values, 32 hexadecimal characters. The lengths count, so that ["ab", "c"] and ["a", "bc"]
 * differ.
 */
export function keyOf(...parts: (string | number | boolean | null | undefined)[]): string {
  let text = "";
  for (const part of parts) {
    const value = String(part);
    text += `${value.length}:${value}`;
  }
  return hash("sha256", text, "hex").slice(0, 32);
}

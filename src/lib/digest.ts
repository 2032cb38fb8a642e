import { createHash, hash } from "node:crypto";
import { nodeDisk } from "./disk.ts";

/** Lower-case hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}

const chunkBytes = 1 << 20;

/** The bytes of a file in pieces, each valid until the next one. @throws the error of node:fs */
export function* filePieces(path: string, disk = nodeDisk): Generator<Buffer> {
  const handle = disk.open(path, "r");
  try {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, disk.bytesOf(handle) + 1));
    for (let at = 0; ; ) {
      const read = disk.read(handle, chunk, 0, chunk.length, at);
      if (read === 0) return;
      yield chunk.subarray(0, read);
      at += read;
    }
  } finally {
    disk.close(handle);
  }
}

/** SHA-256 of a file in lower-case hexadecimal, read piece by piece. @throws the error of node:fs */
export function fileSha256(path: string, disk = nodeDisk): string {
  const hashed = createHash("sha256");
  for (const piece of filePieces(path, disk)) hashed.update(piece);
  return hashed.digest("hex");
}

/** A value that keys depend on. */
export type KeyPart = string | number | boolean | null | undefined;

/**
 * Short digest of several values, and of lists of them, 32 hexadecimal characters. The lengths of values count, so that
 * ["ab", "c"] and ["a", "bc"] differ.
 */
export function keyOf(...parts: (KeyPart | readonly KeyPart[])[]): string {
  let text = "";
  for (const part of parts.flat()) {
    const value = String(part);
    text += `${value.length}:${value}`;
  }
  return hash("sha256", text, "hex").slice(0, 32);
}

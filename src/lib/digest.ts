import { createHash, type Hash, hash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

/** Lower-case hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}

export function sha256Stream(): Hash {
  return createHash("sha256");
}

const chunkBytes = 1 << 20;

/** SHA-256 of a file in lower-case hexadecimal, read piece by piece. @throws the error of node:fs */
export function fileSha256(path: string): string {
  const hashed = createHash("sha256");
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const handle = openSync(path, "r");
  try {
    for (let read = readSync(handle, chunk); read > 0; read = readSync(handle, chunk)) {
      hashed.update(chunk.subarray(0, read));
    }
  } finally {
    closeSync(handle);
  }
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

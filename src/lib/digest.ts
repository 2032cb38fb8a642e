import { createHash, type Hash } from "node:crypto";

/** SHA-256 in lower-case hexadecimal, 64 characters. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** A SHA-256 to be fed piece by piece. */
export function sha256Stream(): Hash {
  return createHash("sha256");
}

/**
 * Short digest of several values, 32 hexadecimal characters: the key of "same input, same output".
 * Each value's length goes in too, so that ["ab", "c"] and ["a", "bc"] differ.
 */
export function keyOf(...parts: (string | number | boolean | null | undefined)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    const text = String(part);
    hash.update(`${text.length}:`).update(text);
  }
  return hash.digest("hex").slice(0, 32);
}

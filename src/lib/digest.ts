import { createHash, type Hash, hash } from "node:crypto";

/** SHA-256 in lower-case hexadecimal, 64 characters. */
export function sha256(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
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
  let text = "";
  for (const part of parts) {
    const value = String(part);
    text += `${value.length}:${value}`;
  }
  return hash("sha256", text, "hex").slice(0, 32);
}

import { createHash } from "node:crypto";

const uuid = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
/** Names that Windows reserves, as a pattern without anchors. */
export const deviceNames = "con|prn|aux|nul|com[0-9]|lpt[0-9]";
/** These, and the names that the layout uses itself. */
export const reservedNames = `${deviceNames}|index|page|by`;
const reserved = new RegExp(`^(?:${reservedNames})(?:\\.|$)`, "i");
const maxBytes = 120;

/**
 * A value from outside as one segment of a file path: only `[a-z0-9._-]`, no dot in front or at the end, no name that
 * Windows reserves or that the layout uses itself. UUIDs and other plain lower-case ids stay as they are; every other
 * byte, and each upper-case letter, becomes `_` and two hexadecimal digits. Different values never meet, not even
 * where a file system or a host takes `A` for `a`.
 *
 * A UUID in upper case is its lower-case form with `_u` behind. A value that would need more than 120 bytes ends in
 * `_-` and a digest.
 *
 * encodeSegment("été") → "_c3_a9t_c3_a9"
 */
export function encodeSegment(value: string): string {
  if (value === "") return "_";
  // One without letters is the same in both cases.
  if (uuid.test(value) && /[A-F]/.test(value)) return `${value.toLowerCase()}_u`;
  let out = /^[a-z0-9.-]+$/.test(value) ? value : escapedBytes(value);
  if (out.startsWith(".") || reserved.test(out)) out = escaped(out.charCodeAt(0)) + out.slice(1);
  if (out.endsWith(".")) out = out.slice(0, -1) + escaped(0x2e);
  // The folder of one id must not be the file of another.
  if (out.endsWith(".json")) out = `${out.slice(0, -".json".length)}${escaped(0x2e)}json`;
  return out.length <= maxBytes ? out : `${out.slice(0, 80)}_-${digestOf(value)}`;
}

/** Pattern of values that are segments as they stand, for servers. */
export const plainSegment = "[a-z0-9-][a-z0-9.-]{0,118}[a-z0-9-]|[a-z0-9-]";

function escapedBytes(value: string): string {
  const bytes = Array.from(new TextEncoder().encode(value), (byte) => {
    const char = String.fromCharCode(byte);
    return /[a-z0-9.-]/.test(char) ? char : escaped(byte);
  });
  return bytes.join("");
}

function digestOf(value: string): string {
  return createHash("sha256").update(value).digest("hex").slice(0, 32);
}

function escaped(byte: number): string {
  return `_${byte.toString(16).padStart(2, "0")}`;
}

import { keyOf } from "../lib/digest.ts";

const safe = /^[A-Za-z0-9-][A-Za-z0-9._-]*$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const reserved = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|index|page|by)(?:\.|$)/i;
const maxBytes = 120;

/**
 * A value from outside as one segment of a file path: only `[A-Za-z0-9._-]`, no dot in front or at the end, no
 * name that Windows reserves or that the layout uses itself, no two values that a file system could confuse.
 * UUIDs and other plain lower-case ids stay as they are; every other byte, and each upper-case letter, becomes
 * `_` and two hexadecimal digits, so that different values never meet.
 *
 * A value that would need more than 120 bytes ends in `_-` and a digest instead.
 *
 * encodeSegment("été") → "_c3_a9t_c3_a9"
 */
export function encodeSegment(value: string): string {
  if (uuid.test(value)) return value;
  if (value === "") return "_";
  let out = "";
  if (safe.test(value) && !/[A-Z_]/.test(value)) out = value;
  else {
    for (const byte of Buffer.from(value)) {
      const char = String.fromCharCode(byte);
      out += /[a-z0-9.-]/.test(char) ? char : escaped(byte);
    }
  }
  if (out.startsWith(".") || reserved.test(out)) out = escaped(out.charCodeAt(0)) + out.slice(1);
  if (out.endsWith(".")) out = out.slice(0, -1) + escaped(0x2e);
  return out.length <= maxBytes ? out : `${out.slice(0, 80)}_-${keyOf(value)}`;
}

function escaped(byte: number): string {
  return `_${byte.toString(16).padStart(2, "0")}`;
}

import { sha256 } from "../lib/digest.ts";

/** A number for `mix`: FNV-1a of a text. */
export function textKey(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash;
}

/** A UUID of version 4 in lower case, made from a text. */
export function uuidOf(text: string): string {
  const hex = sha256(`stillpress demo ${text}`);
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The id of an item of a kind ("article", "image" ...). */
export type IdForm = (kind: string, seed: number, index: number) => string;

export const uuids: IdForm = (kind, seed, index) => uuidOf(`${kind} ${seed} ${index}`);

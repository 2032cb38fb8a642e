import { isDeepStrictEqual } from "node:util";

/** Whether two JSON texts mean the same: deep equality by value, the order of members ignored. */
export function sameJson(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return isDeepStrictEqual(JSON.parse(a), JSON.parse(b));
  } catch {
    return false;
  }
}

import type { Answer, Hit } from "./proxy.ts";

/** What an answer of the API is: a page of a list, all of a list, one object, or a file. */
export type Kind = "page" | "all" | "single" | "file";

/** Something that can happen to an answer on its way. */
export interface Fault {
  name: string;
  /** Answers that it can befall; all where undefined. */
  on?: readonly Kind[];
  /** Whether this one is an answer that it would change. */
  fits?: (name: string, answer: Answer, known: ReadonlyMap<string, Answer>) => boolean;
  /**
   * True of an answer that nothing contradicts, neither in itself nor beside it: another state of the origin would
   * be told like this. It is believed, and cannot but be.
   */
  believable?: boolean;
  /** Answers in the origin's place. */
  befall(hit: Hit): void | Promise<void>;
}

export const json: readonly Kind[] = ["page", "all", "single"];

/** A JSON object that is looked into without knowing what it is. */
export type Bag = Record<string, unknown>;

/** The answer's JSON; undefined for a file, and for what is no object. */
export function jsonOf({ headers, body }: Answer): Bag | undefined {
  if (headers["content-type"]?.includes("json") !== true) return undefined;
  return bagOf(JSON.parse(body.toString("utf8")));
}

export function bagOf(value: unknown): Bag | undefined {
  const is = typeof value === "object" && value !== null && !Array.isArray(value);
  return is ? (value as Bag) : undefined;
}

export function kindOf(answer: Answer): Kind {
  const value = jsonOf(answer);
  if (value === undefined) return "file";
  if (!Array.isArray(value.data)) return "single";
  return value.meta === undefined ? "all" : "page";
}

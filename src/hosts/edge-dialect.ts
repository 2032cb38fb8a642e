import type { FilterName } from "../routes/filters.ts";
import type { Endpoint } from "../routes/rules.ts";
import type { HostInput } from "./host.ts";

/**
 * How requests are answered on hosts that go through a list of rules, of which the first that fits counts. Netlify
 * and Vercel print it; a dialect writes paths and values in the form of each.
 */
export interface EdgeRule {
  /** From the publish root, with "/" in front. */
  path: string;
  query?: Parameter[];
  /** Parameters that must not be so, for hosts that can ask for that. */
  absent?: Parameter[];
  /** File from the publish root. */
  to: string;
  /** `image`: whether there is a file at the path or not. */
  answer: "file" | "image" | "redirect" | "missing";
}

export type Parameter = [name: string, value: string];

/** What stands in a path, and what for it in the file's name. */
export type Segment = [path: string, file: string];

export interface Dialect {
  /** The archive that the rules are for. */
  input: HostInput;
  /** A text in a path, or as the value of a parameter. */
  text(text: string): string;
  /** Any value of a parameter that the API knows. */
  any(parameter: string): string;
  /** A number that is rounded to this one. */
  roundedTo(number: number): string;
  /** A side or a scale up to this one, or this one alone where numbers cannot be compared. */
  upTo(number: number, parameter: string): string[];
  /** A slash that may stand at the end of a path. */
  slash: string;
  /** An id that is its own segment; below images, it may stand together with ".jpg". */
  anyId: Segment;
  anyImage: Segment;
  /** Such an id as the value of a parameter; undefined where an id can only be a whole segment or value. */
  idIn(endpoint: Endpoint): string | undefined;
  /** A given id as the value of a parameter; undefined where it cannot be written. */
  idAs(value: string): string | undefined;
  /** Each of these segments or paths. */
  oneOf(texts: readonly string[]): Segment[];
  /** All paths with this first segment, which begins with "/". */
  below(top: string): Segment;
  /** The rules of a list's pages, from those of the first one and of any other. */
  pages(first: EdgeRule, other: EdgeRule): EdgeRule[];
  /** What stands for a page in a file's name. */
  page: string;
  /** Values of a filter and their segments, the known ones first. */
  valuesOf(name: FilterName, endpoint: Endpoint): Choice[];
  /** What further filters must not be, where these are asked for. */
  absent(names: readonly FilterName[], endpoint: Endpoint): Parameter[];
  /** Two tags in one value, and their folders; undefined where they cannot be told. */
  twoTags?: Segment;
  /** The rules for filters that leave nothing, which come behind those of the lists. */
  nothing(empty: EdgeRule, names: readonly FilterName[], endpoint: Endpoint): EdgeRule[];
  /** A segment of a filtered list's folder; undefined where the list's own path need not be answered. */
  inList(name: FilterName): string | undefined;
}

export interface Choice {
  value: string;
  segment: string;
}

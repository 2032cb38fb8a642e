import { percentDecoded } from "../lib/urls.ts";

/** Values of a query by parameter name. */
export type Query = ReadonlyMap<string, string>;

/**
 * The parameters of a query, with or without `?` in front: names as they are written, values without their percent
 * escapes. The first of a name counts; one without a value counts as absent.
 *
 * parseQuery("?tags=a%2Cb&page=&tags=c") → { tags: "a,b" }
 */
export function parseQuery(query: string): Query {
  const values = new Map<string, string>();
  const seen = new Set<string>();
  for (const part of query.replace(/^\?/, "").replace(/#.*$/s, "").split("&")) {
    const equals = part.indexOf("=");
    const name = equals === -1 ? part : part.slice(0, equals);
    if (seen.has(name)) continue;
    seen.add(name);
    const value = equals === -1 ? "" : percentDecoded(part.slice(equals + 1).replaceAll("+", " "));
    if (value !== "") values.set(name, value);
  }
  return values;
}

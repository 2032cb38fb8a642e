/**
 * What nginx, Caddy and Apache must do to find the file of a request, in a form that all three have: lookups in
 * lists of patterns. The patterns are understood by PCRE and by RE2, which knows neither looking ahead nor
 * references to what was matched before.
 */
export interface Lookup {
  /** Variable that it fills. */
  name: string;
  /** Text with variables, `{year}`; `{path}` is the decoded path, `{query}` the query as it was sent. */
  source: string;
  /** The first that matches counts. */
  cases: LookupCase[];
  /** Without variables. */
  otherwise: string;
}

export type LookupCase =
  /** `$1` in the value is what the first group matched. */
  | { pattern: string; value: string }
  /** The whole source as it is; the value may have variables. */
  | { exact: string; value: string };

/** A variable in a lookup's source or value; its name is the only group. */
export const variableIn = /\{([a-z]\w*)\}/g;

export function lookup(
  name: string,
  source: string,
  cases: LookupCase[],
  otherwise: string,
): Lookup {
  return { name, source, cases, otherwise };
}

/**
 * What nginx, Caddy and Apache must do to find the file of a request, in a form that all three have: lookups in
 * lists of patterns. The patterns are understood by PCRE and by RE2, which knows neither looking ahead nor
 * references to what was matched before.
 */
export interface Lookup {
  /** Variable that it fills. */
  name: string;
  /**
   * Text with variables, `{year}`. Besides those of lookups there are `{path}`, the decoded path, `{query}` as it was
   * sent, `{asked}`, both as they were sent, and `{request_method}`.
   */
  source: string;
  /** The first that matches counts. */
  cases: LookupCase[];
  /** Without variables. */
  otherwise: string;
}

export type LookupCase = PatternCase | ExactCase;

export interface PatternCase {
  pattern: string;
  /** `$1` is what the first group matched. */
  value: string;
}

/** The whole source as it is; the value may have variables. */
export interface ExactCase {
  exact: string;
  value: string;
}

export function lookup(
  name: string,
  source: string,
  cases: LookupCase[],
  otherwise: string,
): Lookup {
  return { name, source, cases, otherwise };
}

/** A lookup's source or value as a host writes it: `written` gives the form of a variable by its name. */
export function withVariables(text: string, written: (name: string) => string): string {
  return text.replace(/\{([a-z]\w*)\}/g, (_, name) => written(name));
}

/** A text between double quotes, with a backslash in front of what must not stand between them. */
export function quoted(text: string, escaped = /[\\"]/g): string {
  return `"${text.replace(escaped, (char) => `\\${char}`)}"`;
}

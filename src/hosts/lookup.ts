/** What nginx, Caddy and Apache do to find the file of a request: lookups in lists of patterns. */
export interface Lookup {
  /** Variable that it fills. */
  name: string;
  /**
   * Text with variables, `{year}`. Besides those of lookups there are `{path}`, the decoded path, `{query}` as it was
   * sent, `{asked}`, both as they were sent, `{served}`, the path of the file that answers, and `{request_method}`.
   */
  source: string;
  /** The first that matches counts. */
  cases: LookupCase[];
  /** Without variables. */
  otherwise: string;
}

/** A pattern, and a value in which `$1` is its first group; or the whole source, and a value that may have variables. */
export type LookupCase = [pattern: string, value: string] | [text: string, value: string, "exact"];

/** @param cases may be values by patterns */
export function lookup(
  name: string,
  source: string,
  cases: LookupCase[] | Record<string, string>,
  otherwise: string,
): Lookup {
  return { name, source, cases: Array.isArray(cases) ? cases : Object.entries(cases), otherwise };
}

/** A lookup's source or value as a host writes it: with its `own` variables, and others as `written` names them. */
export function withVariables(
  text: string,
  own: Readonly<Record<string, string>>,
  written: (name: string) => string,
): string {
  return text.replace(/\{([a-z]\w*)\}/g, (_, name) => own[name] ?? written(name));
}

/** A text between double quotes, with a backslash in front of what must not stand between them. */
export function quoted(text: string, escaped = /[\\"]/g): string {
  return `"${text.replace(escaped, (char) => `\\${char}`)}"`;
}

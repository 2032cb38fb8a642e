import { type Lookup, withVariables } from "./lookup.ts";
import { literal } from "./patterns.ts";

/** One RewriteRule with its conditions. */
export interface Rule {
  conditions: [text: string, pattern: string][];
  substitution?: string;
  flags: string[];
}

/** The lines of a rule. */
export function written({ conditions, substitution = "-", flags }: Rule): string {
  // mod_rewrite takes backslashes between quotes as they are.
  const lines = conditions.map(([text, pattern]) =>
    text === "expr" ? `RewriteCond expr "${pattern}"` : `RewriteCond "${text}" "${pattern}"`,
  );
  return [...lines, `RewriteRule ^ "${substitution}" [${flags.join(",")}]`].join("\n");
}

/** The requested path, and the file or folder that it names. */
export const path = "%{REQUEST_URI}";
export const named = "%{REQUEST_FILENAME}";

/** Rules of which the first that fits sets the variable, and skips the others. */
export function lookupRules({ name, source, cases, otherwise }: Lookup): Rule[] {
  const text = filled(source);
  const rules = cases.map((entry): Rule => {
    const pattern = "pattern" in entry ? entry.pattern : exactly(entry.exact);
    const value = filled(entry.value.replace(/\$(\d)/g, "%$1"));
    return { conditions: [[text, pattern]], flags: [`E=${environment(name)}:${value}`] };
  });
  for (const [at, { flags }] of rules.entries()) flags.push(`S=${rules.length - at}`);
  rules.push({ conditions: [], flags: [`E=${environment(name)}:${otherwise}`] });
  return rules;
}

/** A text as it is, compared without a pattern where that is sure to work. */
function exactly(text: string): string {
  return /^[\w.~-]+$/.test(text) ? `=${text}` : `^${literal(text)}\\z`;
}

/** Variable of the environment. */
export function environment(variable: string): string {
  return `SP_${variable.toUpperCase()}`;
}

/** What a variable holds, as rules write it. */
export function env(variable: string): string {
  return `%{ENV:${environment(variable)}}`;
}

/** Apache's own variables. */
const variables: Record<string, string> = {
  path: "%{REQUEST_URI}",
  query: "%{QUERY_STRING}",
  request_method: "%{REQUEST_METHOD}",
};

function filled(text: string): string {
  return withVariables(text, (name) => variables[name] ?? env(name));
}

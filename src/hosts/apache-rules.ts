import { type Lookup, withVariables } from "./lookup.ts";
import { literal } from "./patterns.ts";

/** What a text must match; the text `expr` stands for an expression in place of the pattern. */
export type Condition = [text: string, pattern: string];

/** A RewriteRule for any path behind its conditions, as lines. */
export function rule(
  flags: readonly string[],
  conditions: readonly Condition[] = [],
  substitution = "-",
): string {
  // mod_rewrite takes backslashes between quotes as they are.
  const lines = conditions.map(([text, pattern]) =>
    text === "expr" ? `RewriteCond expr "${pattern}"` : `RewriteCond "${text}" "${pattern}"`,
  );
  return [...lines, `RewriteRule ^ "${substitution}" [${flags.join(",")}]`].join("\n");
}

/** The requested path; that of the file, once it was found. */
export const path = "%{REQUEST_URI}";

/** Rules of which the first that fits sets the variable, and skips the others. */
export function lookupRules({ name, source, cases, otherwise }: Lookup): string[] {
  const rules = cases.map(([text, value, exact], at) => {
    const exactly = /^[\w.~-]+$/.test(text) ? `=${text}` : `^${literal(text)}\\z`;
    const found = set(name, filled(value.replace(/\$(\d)/g, "%$1")));
    const condition: Condition = [filled(source), exact ? exactly : text];
    return rule([found, `S=${cases.length - at}`], [condition]);
  });
  return [...rules, rule([set(name, otherwise)])];
}

/** The flag that sets a variable. */
export function set(variable: string, value: string): string {
  return `E=SP_${variable.toUpperCase()}:${value}`;
}

/** What a variable holds, as rules write it. */
export function env(variable: string): string {
  return `%{ENV:SP_${variable.toUpperCase()}}`;
}

export function filled(text: string): string {
  const own = { path, served: path, query: "%{QUERY_STRING}", request_method: "%{REQUEST_METHOD}" };
  return withVariables(text, own, env);
}

import { plainSegment } from "../routes/segments.ts";
import { type Lookup, withVariables } from "./lookup.ts";
import { literal, upperUuid } from "./patterns.ts";
import type { Spelling } from "./segment-lookups.ts";

/** What texts must match: a pattern for each; that of the text `expr` is an expression. */
type Conditions = Record<string, string>;

/** A RewriteRule for any path behind its conditions, as lines. */
export function rule(flags: readonly string[], conditions: Conditions = {}, substitution = "-") {
  // mod_rewrite takes backslashes between quotes as they are.
  const lines = Object.entries(conditions).map(([text, pattern]) =>
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
    return rule([found, `S=${cases.length - at}`], { [filled(source)]: exact ? exactly : text });
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

const lowerUuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** A value, or the path of a link, with one such UUID and nothing else in upper case. */
const withUuid = `^(?:[a-z0-9./-]*/)?${upperUuid}(?:/[a-z0-9./-]*)?`;

/**
 * Values as they are, but for UUIDs in upper case. Apache reads .htaccess at every request, so that it cannot list each
 * id of an origin that writes all of them so: a rule makes their segments.
 */
export const apacheSpelling: Spelling = {
  held(value) {
    if (!new RegExp(`${withUuid}$`).test(value)) return value;
    return value.toLowerCase().replace(new RegExp(lowerUuid), "$&_u");
  },
  plain: `${plainSegment}|${lowerUuid}_u`,
};

/** Make the segment of a UUID in upper case that a variable holds. What is sent as such a segment names nothing. */
export function uuidRules(variable: string): string[] {
  const value = env(variable);
  const lowered = `tolower(${value}) =~ m#^(.*/)?(${lowerUuid})(/.*)?$#`;
  return [
    // What is behind by/web is a segment already.
    rule([set(variable, "_")], { [value]: `^${lowerUuid}_u\\z`, [env("kind")]: "!=w" }),
    rule([set(variable, "%1%2_u%3")], { [value]: `${withUuid}\\z`, expr: lowered }),
  ];
}

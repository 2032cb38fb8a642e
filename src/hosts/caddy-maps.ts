import { type Lookup, lookup, quoted, withVariables } from "./lookup.ts";
import { literal } from "./patterns.ts";

/** A lookup as a map of Caddy that fills its variable. */
export function map({ name, source, cases, otherwise }: Lookup): string {
  const lines = cases.map((entry) => {
    if ("pattern" in entry) {
      const value = entry.value.replace(/\$(\d)/g, (_, group) => `\${${group}}`);
      return `\t\t${quote(`~${entry.pattern}`)} ${quote(value)}\n`;
    }
    const plain = /^[\p{L}\p{N}_.-]+$/u.test(entry.exact);
    const input = plain ? entry.exact : `~^${literal(entry.exact)}\\z`;
    return `\t\t${quote(input)} ${quote(filled(entry.value))}\n`;
  });
  const rest = `\t\tdefault ${quote(otherwise)}\n`;
  return `\tmap ${quote(filled(source))} {sp_${name}} {\n${lines.join("")}${rest}\t}\n`;
}

/** Caddy's own variables. */
const variables: Record<string, string> = {
  path: "{http.request.orig_uri.path}",
  query: "{http.request.orig_uri.query}",
  asked: "{http.request.orig_uri}",
  request_method: "{http.request.method}",
};

function filled(text: string): string {
  return withVariables(text, (name) => {
    const prefix = /^(?:raw_tag\d|more_tags)$/.test(name) ? "vars.sp_" : "sp_";
    return variables[name] ?? `{${prefix}${name}}`;
  });
}

/** A text between double quotes. */
export function quote(text: string): string {
  return quoted(text, /"/g);
}

/**
 * Tells the different tags of a query. As no pattern can, the list is made the query for a while, with two commas
 * between tags, and every tag that was told is taken out of it.
 */
export function tagLines(tags: number): string {
  if (tags === 0) return "";
  const lines = [
    "rewrite * /?{sp_q_tags}",
    // It is escaped by that: a plus stands for a space, an escape for itself.
    "uri replace %2B %2520",
    "uri replace %25 %",
    "uri replace %2c %2C",
    "uri replace %2C %2C%2C",
    "rewrite * ?%2C{http.request.uri.query}%2C",
  ];
  for (let at = 1; at <= tags; at++) {
    lines.push(`vars sp_raw_tag${at} {sp_next_tag}`);
    lines.push(`uri replace %2C{vars.sp_raw_tag${at}}%2C %2C%2C`);
  }
  lines.push("vars sp_more_tags {sp_next_tag}");
  const tag = { pattern: "^(?:%2C)+((?:[^%]|%(?:[^2]|2[^C]))+?)%2C", value: "$1" };
  const next = map(lookup("next_tag", "{http.request.uri.query}", [tag], ""));
  return `${next.replace(/^(?=.)/gm, "\t")}${lines.map((line) => `\t\t${line}`).join("\n")}`;
}

import type { HostInput } from "./host.ts";
import { type Lookup, quoted, withVariables } from "./lookup.ts";
import { literal } from "./patterns.ts";
import { type HeaderLookup, headerLookups } from "./responses.ts";

/** A lookup as the map of nginx that fills its variable. */
export function map({ name, source, cases, otherwise }: Lookup): string {
  const lines = cases.map((entry) => {
    // Plain strings would match without regard to case.
    const pattern = "pattern" in entry ? entry.pattern : `^${literal(entry.exact)}\\z`;
    return `\t${quoted(`~${pattern}`)} ${quoted(filled(entry.value))};\n`;
  });
  // Patterns are not tried on an empty source.
  const empty = cases.find((entry) => "pattern" in entry && matchesEmpty(entry.pattern));
  if (empty !== undefined) lines.unshift(`\t"" ${quoted(empty.value.replace(/\$\d/g, ""))};\n`);
  const rest = `\tdefault ${quoted(filled(otherwise))};\n`;
  return `\nmap ${quoted(filled(source))} $sp_${name} {\n${lines.join("")}${rest}}\n`;
}

function matchesEmpty(pattern: string): boolean {
  return new RegExp(pattern.replaceAll("(?s:", "(?:").replaceAll("\\z", "$")).test("");
}

/** nginx's own variables. */
const variables: Record<string, string> = {
  path: "$uri",
  query: "$args",
  asked: "$request_uri",
  request_method: "$request_method",
};

function filled(text: string): string {
  return withVariables(text, (name) => variables[name] ?? `\${sp_${name}}`);
}

/** Headers of the answers, but their types; those of the answer to OPTIONS before the others. */
export function sentHeaders({ headers, preflight }: HostInput): HeaderLookup[] {
  const rules = headerLookups([...headers, { prefix: "", suffix: "", headers: preflight }], "");
  return rules
    .filter(({ header }) => header !== "Content-Type")
    .map((header) => ({
      ...header,
      source: "{preflight}{path}",
      cases: header.cases.map((entry) =>
        "pattern" in entry && entry.pattern === "^" ? { ...entry, pattern: "^204/" } : entry,
      ),
    }));
}

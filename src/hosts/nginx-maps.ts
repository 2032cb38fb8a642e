import type { HostInput } from "./host.ts";
import {
  type ExactCase,
  type Lookup,
  type LookupCase,
  lookup,
  quoted,
  withVariables,
} from "./lookup.ts";
import { literal } from "./patterns.ts";
import { type HeaderLookup, headerLookups } from "./responses.ts";

/** A lookup as the maps of nginx that fill its variable. */
export function map(one: Lookup): string {
  const hashed = hashedCases(one.cases);
  if (hashed.length > 0) return mapsOfMany(one, hashed);
  const { name, source, cases, otherwise } = one;
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

/** The plain strings among many cases, which nginx finds at once; of those that differ in case alone, the first. */
function hashedCases(cases: LookupCase[]): ExactCase[] {
  const found = new Map<string, ExactCase>();
  for (const entry of cases) {
    // A longer string needs another map_hash_bucket_size than the default one.
    if (!("exact" in entry) || !/^[\w.-]{1,40}$/.test(entry.exact)) continue;
    const key = entry.exact.toLowerCase();
    if (!found.has(key)) found.set(key, entry);
  }
  return found.size > 50 ? [...found.values()] : [];
}

/** A lookup whose plain strings are found without regard to case first, and then compared. */
function mapsOfMany({ name, source, cases, otherwise }: Lookup, hashed: ExactCase[]): string {
  const lines = hashed.map(({ exact, value }) => `\t${exact} ${exact}=${value};\n`);
  const near = `\nmap ${quoted(filled(source))} $sp_${name}_near {\n${lines.join("")}}\n`;
  const [exact, other] = [`${name}_exact`, `${name}_other`];
  const compared = { pattern: "^((?s:.*))&\\1=(.*)$", value: "$2" };
  const others = cases.filter((entry) => !hashed.includes(entry as ExactCase));
  return [
    near,
    map(lookup(exact, `${source}&{${name}_near}`, [compared], "")),
    map(lookup(other, source, others, otherwise)),
    `\nmap $sp_${exact} $sp_${name} {\n\t"" $sp_${other};\n\tdefault $sp_${exact};\n}\n`,
  ].join("");
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

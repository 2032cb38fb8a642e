import { tagLookups } from "./filter-lookups.ts";
import { type Lookup, type LookupCase, withVariables } from "./lookup.ts";
import type { Model } from "./model.ts";
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

/** What is done with requests below the mirror root; each of them ends here. */
export function mirrorRules({ parameters, tags, files, moved, found }: Model): Rule[] {
  const kind = env("kind");
  const leadTo = (variable: string, flags: string[]): Rule => ({
    conditions: [[`%{DOCUMENT_ROOT}${env(variable)}`, "-f"]],
    substitution: env(variable),
    flags: [...flags, "QSD", "END"],
  });
  return [
    ...parameters.flatMap((parameter) => lookupRules(parameter.lookup)),
    ...tagLookups(tags).flatMap(lookupRules),
    ...files.flatMap(lookupRules),
    {
      // The image of an address is told by its query.
      conditions: [
        [kind, "!=i"],
        [kind, "!=w"],
        [path, "[^/]\\z"],
        [named, "-f"],
      ],
      flags: ["END"],
    },
    ...moved.map((variable) => leadTo(variable, ["R=302"])),
    ...found.map(({ variable }) => leadTo(variable, [])),
    { conditions: [], flags: ["R=404", "END"] },
  ];
}

/** Rules of which the first that fits sets the variable, and skips the others. */
export function lookupRules({ name, source, cases, otherwise }: Lookup): Rule[] {
  const text = filled(source);
  const others = cases.filter((entry) => !isUpperUuid(entry));
  const rules = others.map((entry): Rule => {
    const pattern = "pattern" in entry ? entry.pattern : exactly(entry.exact);
    const value = filled(entry.value.replace(/\$(\d)/g, "%$1"));
    return { conditions: [[text, pattern]], flags: [`E=${environment(name)}:${value}`] };
  });
  if (others.length < cases.length) {
    rules.unshift({
      conditions: [
        [text, `^${upperUuid}$`],
        ["expr", `tolower(${text}) =~ /^(.*)$/`],
      ],
      flags: [`E=${environment(name)}:%1_u`],
    });
  }
  for (const [at, { flags }] of rules.entries()) flags.push(`S=${rules.length - at}`);
  rules.push({ conditions: [], flags: [`E=${environment(name)}:${otherwise}`] });
  return rules;
}

const upperUuid = "(?=.*[A-F])[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}";

/** Whether a name has the segment of every UUID in upper case: there may be too many to look for each. */
export function isUpperUuid(entry: LookupCase): boolean {
  if (!("exact" in entry) || entry.value !== `${entry.exact.toLowerCase()}_u`) return false;
  return new RegExp(`^${upperUuid}$`).test(entry.exact);
}

/** A text as it is, compared without a pattern where that is sure to work. */
function exactly(text: string): string {
  return /^[\w.~-]+$/.test(text) ? `=${text}` : `^${literal(text)}\\z`;
}

function environment(variable: string): string {
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

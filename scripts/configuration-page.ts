import { configShape, leafSettings, type Shape } from "../src/config/shape.ts";
import { ConfigSchema } from "../src/config.ts";

type Leaf = ReturnType<typeof leafSettings> extends Generator<infer T> ? T : never;

const head = `<!-- Written by "npm run schema" from the schema in src/config.ts and src/config/origin.ts. Edit the descriptions there. -->

# Configuration

A configuration is JSON with comments; trailing commas are allowed. It is read from \`config/stillpress.json\` unless \`--config FILE\` names another one. Only \`origin.baseUrl\` is required:

\`\`\`jsonc
{
  "$schema": "./schema.json",
  "origin": { "baseUrl": "https://media.example.org/api/v1" },
  "site": { "title": "The Example Archive", "url": "https://archive.example.org" }
}
\`\`\`

\`$schema\` names [config/schema.json](../config/schema.json), with which editors complete and check the file. An unknown key is an error that names the nearest known key.

Flags win over environment variables, these over the file, and the file over the defaults. The variable of a setting is \`STILLPRESS_\` and its path in capitals: \`STILLPRESS_SITE_TITLE\` is \`site.title\`, \`STILLPRESS_ORIGIN_BASE_URL\` is \`origin.baseUrl\`. A value that is not text is written as JSON: \`STILLPRESS_HOSTS='["nginx"]'\`. An empty variable counts as not set.

The access token is not a setting. It comes from the variable that \`origin.tokenEnv\` names, or from the file \`origin.tokenFile\`.
`;

/** config/schema.json. */
export function configJsonSchema(): string {
  return `${JSON.stringify({ ...configShape, title: "stillpress configuration" }, null, 2)}\n`;
}

/** docs/configuration.md: every setting with its values, its default and its meaning, as the schema says them. */
export function configurationPage(): string {
  const groups = new Map<string, Leaf[]>();
  for (const leaf of leafSettings()) {
    const name = leaf.path.slice(0, -1).join(".");
    groups.set(name, [...(groups.get(name) ?? []), leaf]);
  }
  // What belongs to no section comes last.
  const names = [...groups.keys()].sort((a, b) => Number(a === "") - Number(b === ""));
  const sections = names.map((name) => sectionText(name, groups.get(name) ?? []));
  return [head, ...sections].join("\n");
}

function sectionText(name: string, leaves: readonly Leaf[]): string {
  const level = "#".repeat(name.split(".").length + 1);
  const title = name === "" ? "Other settings" : `\`${name}\``;
  const about = name === "" ? "" : meaningOf(sectionSchema(name));
  const rows = leaves.map(cellsOf);
  const hasMeanings = rows.some(({ meaning }) => meaning !== "");
  const table = [
    { setting: "Setting", values: "Values", preset: "Default", meaning: "Meaning" },
    { setting: "---", values: "---", preset: "---", meaning: "---" },
    ...rows,
  ];
  const lines = table.map(({ meaning, ...others }) => {
    const cells = [...Object.values(others), ...(hasMeanings ? [meaning] : [])];
    return `| ${cells.join(" | ")} |`;
  });
  return [`${level} ${title}`, "", ...(about === "" ? [] : [about, ""]), ...lines, ""].join("\n");
}

/** A section as JSON Schema. */
function sectionSchema(name: string): Shape {
  return name.split(".").reduce((outer, key) => outer.properties?.[key] as Shape, configShape);
}

function cellsOf({ path, shape }: Leaf) {
  return {
    setting: code(path.join(".")),
    values: valuesOf(shape),
    preset: presetOf(path),
    meaning: meaningOf(shape),
  };
}

function presetOf(path: readonly string[]): string {
  if (path.join(".") === "origin.baseUrl") return "required";
  const value = defaultAt(path);
  return value === undefined ? "–" : code(jsonText(value));
}

function defaultAt(path: readonly string[]): unknown {
  const all: unknown = ConfigSchema.parse({ origin: { baseUrl: "https://media.example.org" } });
  return path.reduce((outer, key) => (outer as Record<string, unknown>)[key], all);
}

/** A description with its values and settings set as code. */
function meaningOf({ description }: Shape): string {
  const names =
    /"[^"]+"|\bnull\b|\b(?:origin|crawl|media|site|mirror)(?:\.\w+)+|\btag\+tag\b|\{id\}/g;
  return String(description ?? "").replace(names, (name) => code(name));
}

/** JSON on one line, as people write it: `{ "width": 320 }`. */
function jsonText(value: unknown): string {
  const indented = JSON.stringify(value, null, 1);
  return indented.replace(/\n\s*/g, " ").replace(/\[ | \]/g, (bracket) => bracket.trim());
}

/** The values that a JSON Schema allows, in words. */
function valuesOf(schema: Shape): string {
  const choices = schema.anyOf as Shape[] | undefined;
  if (choices !== undefined) return choices.map(valuesOf).join(" or ");
  if (schema.enum !== undefined)
    return (schema.enum as string[]).map((one) => code(JSON.stringify(one))).join(", ");
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  const { type } = schema;
  if (Array.isArray(type))
    return type.map((one) => valuesOf({ ...schema, type: one })).join(" or ");
  if (type === "array") return listText(schema);
  if (type === "object") {
    if (schema.properties === undefined) return "object of texts";
    const keys = Object.keys(schema.properties ?? {}).map((key) => `"${key}": …`);
    return `\`{ ${keys.join(", ")} }\``;
  }
  if (type === "integer" || type === "number") return numberText(schema);
  if (type === "boolean") return "`true`, `false`";
  if (type === "null") return "`null`";
  return schema.format === "uri" ? "URL" : "text";
}

function listText({ items, prefixItems }: Shape): string {
  if (Array.isArray(prefixItems)) return "`[width, height]` in pixels";
  return `list of ${valuesOf(items as Shape)}`;
}

function numberText({ type, minimum, exclusiveMinimum, maximum }: Shape): string {
  const kind = type === "integer" ? "whole number" : "number";
  const top = maximum === Number.MAX_SAFE_INTEGER ? undefined : (maximum as number);
  const upTo = top === undefined ? "" : `, up to ${shown(top)}`;
  if (minimum === undefined) return `${kind} above ${exclusiveMinimum}${upTo}`;
  return top === undefined ? `${kind}, ${minimum} or more` : `${kind}, ${minimum} to ${shown(top)}`;
}

const shown = (count: number): string => count.toLocaleString("en");
const code = (text: string): string => `\`${text}\``;

import type { OriginOptions } from "./options.ts";

/** Some services write numbers with two decimals ("4.50"). */
export class Decimal extends Number {}

type JsonStyle = OriginOptions["json"];

/** JSON text. A Map is written as an object with keys in an order that objects cannot have ("10" after "b", "__proto__"). */
export function writeJson(value: unknown, style: JsonStyle, indent = ""): string {
  if (value instanceof Decimal && style.decimals) return value.toFixed(2);
  if (typeof value === "string") return quoted(value, style);
  if (value === null || typeof value !== "object" || value instanceof Decimal) {
    return JSON.stringify(value ?? null);
  }
  const [inner, space] = style.pretty ? [`${indent}    `, " "] : ["", ""];
  const written = (member: unknown): string => writeJson(member, style, inner);
  const entries: [string, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  const members = Array.isArray(value)
    ? value.map(written)
    : entries
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => `${quoted(key, style)}:${space}${written(member)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (!style.pretty || members.length === 0) return open + members.join(",") + close;
  return `${open}\n${inner}${members.join(`,\n${inner}`)}\n${indent}${close}`;
}

function quoted(text: string, { escapeSlashes, escapeUnicode }: JsonStyle): string {
  const json = JSON.stringify(text);
  const slashes = escapeSlashes ? json.replaceAll("/", "\\/") : json;
  if (!escapeUnicode) return slashes;
  return slashes.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

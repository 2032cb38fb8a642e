/** A number that may be written with two decimals ("4.50"), as some services do. */
export class Decimal {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
  toJSON(): number {
    return this.value;
  }
}

export interface JsonStyle {
  pretty: boolean;
  escapeSlashes: boolean;
  escapeUnicode: boolean;
  decimals: boolean;
}

/**
 * JSON text of plain values. A Map is written as an object with its keys in their order, whatever
 * they are called ("10" after "b", "__proto__"), which an object cannot express.
 */
export function writeJson(value: unknown, style: JsonStyle): string {
  return write(value, style, "");
}

function write(value: unknown, style: JsonStyle, indent: string): string {
  if (typeof value === "string") return writeString(value, style);
  if (value instanceof Decimal) {
    return style.decimals ? value.value.toFixed(2) : JSON.stringify(value.value);
  }
  if (value === null || typeof value !== "object") return JSON.stringify(value ?? null);
  const inner = style.pretty ? `${indent}    ` : "";
  const colon = style.pretty ? ": " : ":";
  const members: string[] = [];
  if (Array.isArray(value)) {
    for (const element of value) members.push(write(element, style, inner));
    return enclose("[", members, "]", style, indent, inner);
  }
  const entries = value instanceof Map ? value : Object.entries(value);
  for (const [key, member] of entries as Iterable<[string, unknown]>) {
    if (member === undefined) continue;
    members.push(writeString(key, style) + colon + write(member, style, inner));
  }
  return enclose("{", members, "}", style, indent, inner);
}

function enclose(
  open: string,
  members: string[],
  close: string,
  style: JsonStyle,
  indent: string,
  inner: string,
): string {
  if (!style.pretty || members.length === 0) return open + members.join(",") + close;
  return `${open}\n${inner}${members.join(`,\n${inner}`)}\n${indent}${close}`;
}

function writeString(text: string, style: JsonStyle): string {
  let json = JSON.stringify(text);
  if (style.escapeSlashes) json = json.replaceAll("/", "\\/");
  if (style.escapeUnicode) {
    json = json.replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  }
  return json;
}

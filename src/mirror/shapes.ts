import { isObject } from "../lib/objects.ts";

/** A JSON Schema, 2020-12. */
export type JsonSchema = Record<string, unknown>;

/** What an object with more different members is: a map, whose names mean nothing to a schema. */
const mostMembers = 64;
/** Values deeper in an object are not described. */
const mostDepth = 12;

const formats: readonly [name: string, form: RegExp][] = [
  ["uuid", /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i],
  ["date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/],
  // A mirror writes many of them relative to the file that they stand in.
  ["uri-reference", /^https?:\/\/\S+$/],
];

/** What was seen in one place of many values. */
export class Shape {
  #count = 0;
  readonly #types = new Map<string, number>();
  /** Undefined where texts have no form, or several. */
  #format: string | undefined;
  readonly #members = new Map<string, Shape>();
  #items: Shape | undefined;

  add(value: unknown, depth = 0): void {
    this.#count++;
    const type = typeOf(value);
    const before = this.#types.get(type) ?? 0;
    this.#types.set(type, before + 1);
    if (typeof value === "string") {
      const format = formats.find(([, form]) => form.test(value))?.[0];
      this.#format = before === 0 || format === this.#format ? format : undefined;
    }
    if (depth >= mostDepth) return;
    if (Array.isArray(value)) {
      this.#items ??= new Shape();
      for (const item of value) this.#items.add(item, depth + 1);
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (this.#members.size > mostMembers) break;
        const shape = this.#members.get(name) ?? new Shape();
        this.#members.set(name, shape);
        shape.add(member, depth + 1);
      }
    }
  }

  /**
   * With the counts of the types where there are several: `"x-seen": { "string": 498, "null": 2 }`.
   *
   * @param of how many objects there were that could have had this value as a member
   */
  schema(of = this.#count): JsonSchema {
    const names = [...this.#types.keys()];
    const types = names.includes("number") ? names.filter((name) => name !== "integer") : names;
    const counts: [string, number][] = [...this.#types];
    if (of > this.#count) counts.push(["absent", of - this.#count]);
    return {
      ...(types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types }),
      ...(this.#format === undefined ? {} : { format: this.#format }),
      ...(names.includes("object") ? this.#objectSchema(this.#types.get("object") ?? 0) : {}),
      ...(this.#items === undefined ? {} : { items: this.#items.schema() }),
      ...(counts.length > 1 ? { "x-seen": Object.fromEntries(counts) } : {}),
    };
  }

  #objectSchema(objects: number): JsonSchema {
    const members = [...this.#members];
    if (members.length > mostMembers) return {};
    const required = members.filter(([, shape]) => shape.#count === objects).map(([name]) => name);
    const properties = members.map(([name, shape]) => [name, shape.schema(objects)] as const);
    return { properties: Object.fromEntries(properties), required };
  }
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

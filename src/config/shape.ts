import { z } from "zod";
import { ConfigSchema } from "../config.ts";

/** What JSON Schema says of a setting, or of a section of settings. */
export interface Shape {
  [keyword: string]: unknown;
  type?: string | string[];
  properties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: Shape[];
  description?: string;
  default?: unknown;
}

/** The whole configuration as JSON Schema. */
export const configShape = z.toJSONSchema(ConfigSchema, {
  io: "input",
  unrepresentable: "any",
}) as Shape;

/** JSON Schema of the configuration file, formatted, with a line break at the end. */
export function configJsonSchema(): string {
  return `${JSON.stringify({ ...configShape, title: "stillpress configuration" }, null, 2)}\n`;
}

/** Key paths of all settings, sections opened, each with its shape. */
export function* leafSettings(
  section: Shape = configShape,
  above: readonly string[] = [],
): Generator<{ path: readonly string[]; shape: Shape }> {
  for (const [name, shape] of Object.entries(section.properties ?? {})) {
    const path = [...above, name];
    if (shape.properties !== undefined) yield* leafSettings(shape, path);
    else if (name !== "$schema") yield { path, shape };
  }
}

/** Keys that an object may have which stands at a path. */
export function keysAt(path: readonly PropertyKey[]): string[] {
  let shape = configShape;
  for (const part of path) {
    const inner = typeof part === "number" ? shape.items : shape.properties?.[String(part)];
    // Of a choice, the object.
    shape = inner?.anyOf?.find(({ properties }) => properties !== undefined) ?? inner ?? {};
  }
  return Object.keys(shape.properties ?? {});
}

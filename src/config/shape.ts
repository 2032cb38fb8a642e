import { z } from "zod";
import { ConfigSchema } from "../config.ts";

/** JSON Schema of a setting or a section. */
export interface Shape {
  [keyword: string]: unknown;
  type?: string | string[];
  properties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: Shape[];
  description?: string;
  default?: unknown;
}

export const configShape = z.toJSONSchema(ConfigSchema, {
  io: "input",
  unrepresentable: "any",
}) as Shape;

/** All settings with their key paths. */
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

/** Keys that the object at a path may have. */
export function keysAt(path: readonly PropertyKey[]): string[] {
  let shape = configShape;
  for (const part of path) {
    const inner = typeof part === "number" ? shape.items : shape.properties?.[String(part)];
    // Of a choice, the object.
    shape = inner?.anyOf?.find(({ properties }) => properties !== undefined) ?? inner ?? {};
  }
  return Object.keys(shape.properties ?? {});
}

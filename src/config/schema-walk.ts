import { z } from "zod";

/** What a setting must be, with defaults and null taken off; undefined below a leaf. */
export function innerSchema(schema: z.ZodType, part: PropertyKey): z.ZodType | undefined {
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodObject) return (bare.shape as Record<string, z.ZodType>)[String(part)];
  if (bare instanceof z.ZodArray) return bare.element as z.ZodType;
  if (bare instanceof z.ZodTuple) return bare.def.items[Number(part)] as z.ZodType | undefined;
  return undefined;
}

/** Key paths of all settings, objects opened, each with its schema. */
export function* leafSettings(
  schema: z.ZodType,
  path: readonly string[] = [],
): Generator<{ path: readonly string[]; schema: z.ZodType }> {
  const bare = bareSchema(schema);
  // A choice between an object and something else is one setting.
  if (!(bare instanceof z.ZodObject) || optionsOf(schema) !== undefined) {
    yield { path, schema };
    return;
  }
  for (const [name, inner] of Object.entries(bare.shape as Record<string, z.ZodType>)) {
    if (name !== "$schema") yield* leafSettings(inner, [...path, name]);
  }
}

/** Keys that an object may have; none where the schema is no object. */
export function keysOf(schema: z.ZodType | undefined): string[] {
  const bare = schema && bareSchema(schema);
  return bare instanceof z.ZodObject ? Object.keys(bare.shape) : [];
}

/** Without default, null and undefined; of a choice, the object. */
function bareSchema(schema: z.ZodType): z.ZodType {
  if (
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodOptional
  ) {
    return bareSchema(schema.def.innerType as z.ZodType);
  }
  const options = optionsOf(schema);
  return options?.find((option) => option instanceof z.ZodObject) ?? schema;
}

function optionsOf(schema: z.ZodType): z.ZodType[] | undefined {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault) {
    return optionsOf(schema.def.innerType as z.ZodType);
  }
  return schema instanceof z.ZodUnion ? (schema.def.options as z.ZodType[]) : undefined;
}

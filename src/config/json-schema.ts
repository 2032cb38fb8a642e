import { z } from "zod";
import { ConfigSchema } from "../config.ts";

/** JSON Schema of the configuration file, formatted, with a line break at the end. */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(ConfigSchema, { io: "input", unrepresentable: "any" });
  return `${JSON.stringify({ ...schema, title: "stillpress configuration" }, null, 2)}\n`;
}

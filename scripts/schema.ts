import { writeFileSync } from "node:fs";
import { configJsonSchema } from "../src/config/json-schema.ts";

/** Writes config/schema.json, which editors use for completion and checks, from the schema in the code. */
writeFileSync(new URL("../config/schema.json", import.meta.url), configJsonSchema());

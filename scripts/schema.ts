import { writeFileSync } from "node:fs";
import { configJsonSchema, configurationPage } from "./configuration-page.ts";

/** Writes what is derived from the schema of the configuration: the JSON Schema for editors, and its page of docs/. */
writeFileSync(new URL("../config/schema.json", import.meta.url), configJsonSchema());
writeFileSync(new URL("../docs/configuration.md", import.meta.url), configurationPage());

import { writeFileSync } from "node:fs";
import { configJsonSchema, configurationPage } from "./configuration-page.ts";
import { themingPage } from "./theming-page.ts";

/** Writes what is derived from the code: the JSON Schema of the configuration, its page, and the page of the templates. */
writeFileSync(new URL("../config/schema.json", import.meta.url), configJsonSchema());
writeFileSync(new URL("../docs/configuration.md", import.meta.url), configurationPage());
writeFileSync(new URL("../docs/theming-reference.md", import.meta.url), themingPage());

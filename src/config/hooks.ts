import { section, text } from "./fields.ts";

const command = text.nullable().default(null);
const variables = "STILLPRESS_REPORT names the report, STILLPRESS_EXIT_CODE is the exit code.";

export const Hooks = section({
  success: command.describe(
    `Command for the shell that is run after each run that ends with 0, such as a ping of a service that misses silent jobs. ${variables}`,
  ),
  failure: command.describe(`The same for a run that ends with anything else. ${variables}`),
});

import { createTokenFinder } from "../lib/token.ts";

/** Names of environment variables whose values are nobody's business. */
const secretName = /token|secret|passw|credential|api_?key/i;

/**
 * A text that may be printed: values of environment variables that are secrets by their names stand there as the
 * names.
 *
 * masked('got "s3cr3t-t0k3n"', { STILLPRESS_TOKEN: "s3cr3t-t0k3n" }) → 'got "[STILLPRESS_TOKEN]"'
 */
export function masked(text: string, environment: NodeJS.ProcessEnv = process.env): string {
  let clean = text;
  for (const [name, value = ""] of Object.entries(environment)) {
    if (!secretName.test(name)) continue;
    clean = createTokenFinder(value.trim(), `[${name}]`).without(clean);
  }
  return clean;
}

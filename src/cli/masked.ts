import { createTokenFinder } from "../lib/token.ts";

/** Names of environment variables whose values are nobody's business. */
const secretName = /token|secret|passw|credential|api_?key/i;

/** Tokens that this process has read, whatever their variables or files are called. */
const tokens = new Set<string>();

/** Keeps a token out of everything that is printed from now on, and gives it back. */
export function keptSecret(token: string): string {
  tokens.add(token);
  return token;
}

/**
 * A text that may be printed: the name stands in place of the value of each environment variable that is a secret by
 * its name, and `[token]` in place of a token that was read from elsewhere.
 *
 * masked('got "s3cr3t-t0k3n"', { STILLPRESS_TOKEN: "s3cr3t-t0k3n" }) → 'got "[STILLPRESS_TOKEN]"'
 */
export function masked(text: string, environment: NodeJS.ProcessEnv = process.env): string {
  let clean = text;
  for (const [name, value = ""] of Object.entries(environment)) {
    if (!secretName.test(name)) continue;
    clean = createTokenFinder(value.trim(), `[${name}]`).without(clean);
  }
  for (const token of tokens) clean = createTokenFinder(token).without(clean);
  return clean;
}

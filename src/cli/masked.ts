import { proxyPasswords } from "../lib/proxy.ts";
import { createTokenFinder } from "../lib/token.ts";

const secretName = /token|secret|passw|credential|api_?key/i;

const tokens = new Set<string>();

/** Keeps a token out of everything that is printed from now on. Returns it. */
export function keptSecret(token: string): string {
  tokens.add(token);
  return token;
}

/**
 * A text without secrets: the value of each environment variable with a secret's name becomes that name, the password
 * of a proxy is named as one, and every token that was read becomes `[token]`.
 *
 * masked('got "s3cr3t-t0k3n"', { STILLPRESS_TOKEN: "s3cr3t-t0k3n" }) → 'got "[STILLPRESS_TOKEN]"'
 */
export function masked(text: string, environment: NodeJS.ProcessEnv = process.env): string {
  let clean = text;
  for (const [name, value = ""] of Object.entries(environment)) {
    if (!secretName.test(name)) continue;
    clean = createTokenFinder(value.trim(), `[${name}]`).without(clean);
  }
  for (const password of proxyPasswords(environment)) {
    clean = createTokenFinder(password, "[password of the proxy]").without(clean);
  }
  for (const token of tokens) clean = createTokenFinder(token).without(clean);
  return clean;
}

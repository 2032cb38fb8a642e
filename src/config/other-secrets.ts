import type { Config } from "../config.ts";
import { proxyPasswords } from "../lib/proxy.ts";

const secretName = /token|secret|passw|credential|key|auth|cookie|session/;

/** What must not be published besides the token: values of headers that are named like secrets, and proxies' passwords. */
export function otherSecrets({ headers }: Pick<Config["origin"], "headers">): string[] {
  const secret = Object.entries(headers).filter(([name]) => secretName.test(name));
  return [...secret.map(([, value]) => value), ...proxyPasswords()];
}

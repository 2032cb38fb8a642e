import { percentDecoded } from "./urls.ts";

/** In the order in which undici reads them. */
const names = [
  ["http_proxy", "HTTP_PROXY"],
  ["https_proxy", "HTTPS_PROXY"],
] as const;

/** Variables that name a proxy, with their values; lower case stands in place of upper case. */
export function proxyVariables(environment: NodeJS.ProcessEnv = process.env): [string, string][] {
  return names.flatMap(([lower, upper]): [string, string][] => {
    const name = environment[lower] === undefined ? upper : lower;
    const value = environment[name];
    return value ? [[name, value]] : [];
  });
}

/** The passwords in those variables, as they are written and as they are meant. */
export function proxyPasswords(environment: NodeJS.ProcessEnv = process.env): string[] {
  const passwords = proxyVariables(environment).flatMap(([, value]) => {
    const password = URL.canParse(value) ? new URL(value).password : "";
    return password === "" ? [] : [password, percentDecoded(password)];
  });
  return [...new Set(passwords)];
}

import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { ConfigError } from "../errors.ts";
import { proxyVariables } from "../lib/proxy.ts";

/** No proxy leads back to this machine; browsers ask it directly, too. */
const ownNames = "localhost,127.0.0.1,[::1]";

/**
 * Makes requests through the proxies that `HTTP_PROXY` and `HTTPS_PROXY` name, except to the hosts of `NO_PROXY` and to
 * this machine. http goes to the proxy as it is, as with curl: many proxies refuse a tunnel (CONNECT) to port 80.
 *
 * @throws ConfigError where a variable names no proxy; its value may hold a password and is not repeated
 */
export function createDispatcher(options: Agent.Options): Dispatcher {
  const variables = proxyVariables();
  for (const [name, value] of variables) {
    if (URL.canParse(value) && /^(?:https?|socks5?):$/.test(new URL(value).protocol)) continue;
    const hint = "expected an address such as http://proxy.example.org:3128";
    throw new ConfigError(`${name} names no proxy`, { hint });
  }
  if (variables.length === 0) return new Agent(options);
  const { no_proxy: lower, NO_PROXY: upper = "" } = process.env;
  const named = lower ?? upper;
  const noProxy = named.trim() === "*" ? "*" : `${named},${ownNames}`;
  return new EnvHttpProxyAgent({ ...options, noProxy, proxyTunnel: false });
}

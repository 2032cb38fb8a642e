import type { Config } from "../config.ts";
import { conditionsOf, type Validators } from "./validators.ts";

const defaultUserAgent = "stillpress (static archive of a media publishing service)";

/**
 * What requests say. `origin.headers` go where the API is: they may let through whoever sends them. Its User-Agent goes
 * to every host.
 */
export function createRequestHeaders(origin: Config["origin"], token: string) {
  const { "user-agent": userAgent = defaultUserAgent, ...own } = origin.headers;
  const home = new URL(origin.baseUrl).origin;
  const authorization = `Bearer ${token}`;
  return {
    json: {
      ...own,
      accept: "application/json",
      "content-type": "application/json",
      "accept-encoding": "gzip, br",
      "user-agent": userAgent,
      authorization,
    },
    file(target: URL, validators: Validators, withToken: boolean): Record<string, string> {
      return {
        ...(target.origin === home && own),
        accept: "*/*",
        "accept-encoding": "identity",
        "user-agent": userAgent,
        ...conditionsOf(validators),
        ...(withToken && { authorization }),
      };
    },
  };
}

import type { Config } from "../config.ts";
import { ApiError, exitCodes } from "../errors.ts";
import { proxyVariables } from "../lib/proxy.ts";
import { printable } from "../lib/secrets.ts";
import { type AttemptError, proxyHint } from "./failure.ts";
import { notAllowed } from "./hosts.ts";

/** What stands for a request in messages: nothing of it is secret. */
export type Name = ReturnType<typeof nameOf>;

type Origin = Config["origin"];

const reachHint = "check origin.baseUrl, and that the service can be reached from here";
const signHint =
  "check that origin.baseUrl is the address for which the service signs its links, and origin.tokenPaths if its files need the token";
const linkHints: Record<number, string> = {
  0: "check that the host of the link can be reached from here",
  401: signHint,
  403: signHint,
  404: "the origin lists this item but does not have its file",
  407: proxyHint,
};

export function requestName(url: URL, origin: Origin): Name {
  return nameOf(printable(url.href), origin, (status) => hintFor(status, url, origin));
}

export function linkName(url: URL, origin: Origin): Name {
  return nameOf(withoutQuery(url), origin, (status) => linkHints[status]);
}

function nameOf(url: string, { baseUrl }: Origin, hintFor: (status: number) => string | undefined) {
  // Without the address of the API: `/articles?page=4`.
  const short = url.startsWith(`${baseUrl}/`) ? url.slice(baseUrl.length) : url;
  return { url, short, hintFor };
}

/** A signed link's query is all secret, whatever a service calls its parameters. */
export function withoutQuery(url: URL): string {
  return printable(url.origin + url.pathname);
}

export function refusedLink(message: string, url?: URL, status = 0): ApiError {
  return new ApiError(message, {
    url: url === undefined ? "" : withoutQuery(url),
    status,
    attempts: 0,
    ...(url && (status === 0 ? notAllowed(url.host) : { hint: linkHints[status] })),
  });
}

/** The error of a request that is given up; `delayMs` is the wait that the origin asked for, if that is why. */
export function finalError(
  name: Name,
  failure: AttemptError,
  attempts: number,
  delayMs?: number,
): ApiError {
  const times = attempts === 1 ? " after 1 attempt" : ` after ${attempts} attempts`;
  const hint =
    delayMs === undefined
      ? (failure.hint ?? name.hintFor(failure.status))
      : `the origin asks to wait ${Math.ceil(delayMs / 60_000)} minutes; run again after that`;
  return new ApiError(`GET ${name.short}: ${failure.message}${attempts === 0 ? "" : times}`, {
    url: name.url,
    status: failure.status,
    attempts,
    cause: failure,
    host: failure.host,
    hint,
    exitCode: delayMs === undefined ? failure.exitCode : exitCodes.budget,
  });
}

const pathHint = "check origin.baseUrl and origin.paths in the configuration";
const itemHint =
  "probably removed since it was listed; if all of them fail like this, check origin.paths";

/** Whether a URL is of a whole index, whose absence is no matter of one item. */
function isIndex(url: URL, { baseUrl, paths }: Origin): boolean {
  const path = url.pathname.slice(new URL(baseUrl).pathname.replace(/\/$/, "").length);
  const own = [paths.videos, paths.documents, paths.audio];
  return path.lastIndexOf("/") === 0 || own.includes(path);
}

function hintFor(status: number, url: URL, origin: Origin): string | undefined {
  const where = origin.tokenFile ?? origin.tokenEnv;
  const kind = url.searchParams.has("private")
    ? "; image indexes with private=true need an organisation token"
    : "";
  if (status === 401)
    return `the token in ${where} was refused: put a valid one there and run again${kind}`;
  if (status === 403) return `the token in ${where} may not read this${kind}`;
  if (status === 404) return isIndex(url, origin) ? pathHint : itemHint;
  if (status === 407) return proxyHint;
  if (status !== 0) return undefined;
  const [proxy] = proxyVariables();
  return proxy === undefined ? reachHint : `${reachHint} through the proxy that ${proxy[0]} names`;
}

import { corsHeaders } from "../routes/headers.ts";
import { decodedSegment, longestTarget } from "../routes/requests.ts";
import type { HandlerOptions } from "./archive.ts";
import type { Build } from "./builds.ts";

/** A request taken apart. */
export type Asked = ReturnType<typeof takeApart>;

/** A request below the mirror root, and all that answers it. */
export interface ApiAsked extends Asked {
  options: HandlerOptions;
  build: Build;
}

/** @param target path and query as they were sent, where the request's URL may have been tidied up */
export function takeApart(request: Request, target: string | undefined, root: string) {
  const { pathname, search, origin } = new URL(request.url);
  const sent = target ?? pathname + search;
  const [written = ""] = sent.split(/[?#]/, 1);
  return {
    request,
    /** Path as it was sent. */
    written,
    /** Query with "?", or "". */
    search,
    /** Scheme, host and port that were asked. */
    origin,
    /** Whether the path is that of the mirror root, or below it. */
    ofApi: `${written}/`.startsWith(`/${root}/`),
    /** Written path below the mirror root. */
    below: written.slice(`/${root}`.length),
    /** Status that the target is refused with, whatever the archive holds. */
    refusal: refusalOf(sent),
  };
}

/** Path of a file from the publish root; undefined for what no file is called. */
export function pathOf(written: string): string | undefined {
  const path = decodedSegment(written.slice(1));
  // A colon names a drive or a stream on Windows, and nothing in an archive.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  return path === undefined || /[\0-\x1f\x7f\\:]/.test(path) ? undefined : path;
}

/** Refuses a request with a message: JSON for the API, text for the website. */
export function refuse(
  { request, ofApi }: Asked,
  status: number,
  message: string,
  more: Record<string, string> = {},
): Response {
  const body = ofApi ? JSON.stringify({ message }) : `${status} ${message}\n`;
  return new Response(request.method === "HEAD" ? null : body, {
    status,
    headers: {
      "Content-Type": ofApi ? "application/json" : "text/plain; charset=utf-8",
      "Content-Length": String(new TextEncoder().encode(body).length),
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...(ofApi ? corsHeaders : {}),
      ...more,
    },
  });
}

/**
 * The status that a request target is refused with before it is looked up, by its raw form: path and query as they
 * were sent. Undefined for one that may name something.
 *
 * 414 for a longer one than servers take; 400 for steps out of a folder, escaped or not, and for characters that no
 * path of an archive has; 404 for an escaped slash, which some servers take for a real one.
 */
export function refusalOf(target: string): 400 | 404 | 414 | undefined {
  if (target.length > longestTarget) return 414;
  const path = target.replace(/[?#].*$/s, "");
  if (!path.startsWith("/") || /\/(?:\.|%2e){1,2}(?:\/|$)|\\|%5c|%00/i.test(path)) return 400;
  if (/%(?![\da-f]{2})/i.test(path)) return 400;
  return /%2f|\/\//i.test(path) ? 404 : undefined;
}

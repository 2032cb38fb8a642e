import { largest } from "../lib/many.ts";
import { longestTarget } from "../routes/requests.ts";
import { fileLookups } from "./file-lookups.ts";
import { filterLookups, tagLookups } from "./filter-lookups.ts";
import type { HostInput } from "./host.ts";
import { sizeLimits } from "./limits.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
import { badTarget, belowRoot, literal, longerThan, lostTarget } from "./patterns.ts";
import { headerLookups, valuesOf } from "./responses.ts";
import { asTheyAre, createSegments } from "./segment-lookups.ts";
import { slotLookups } from "./slot-lookups.ts";
import { targetLookups } from "./target-lookups.ts";

/** Statuses that `early` may have, in the order in which they are told. */
export const earlyStatuses = ["204", "405", "414", "400", "404"];

export type Model = ReturnType<typeof modelOf>;

/**
 * How requests are answered from the files of an archive, as data. nginx, Caddy and Apache print it. What the lookups
 * fill is safe to be put behind the publish root.
 */
export function modelOf(input: HostInput, spelling = asTheyAre) {
  const { rules } = input;
  const tags = largest([0, ...rules.filters.map((name) => name.match(/tag/g)?.length ?? 0)]);
  const segments = createSegments(input, spelling);
  const files = fileLookups(input, segments);
  return {
    /** About the request: `below` is "yes" below the mirror root; `early` is the status of an answer without a file. */
    request: requestLookups(input),
    /** The API's parameters as they were sent, and what is asked for: its `kind` and `id`. */
    asked: targetLookups(input, spelling),
    /** The tags of a query, as many as one list can be asked for by, and whether there are more. */
    tags: tagLookups(tags),
    /**
     * Find files. Each needs those before it, and all of the above. `own`, the file at the path itself if that may
     * answer, comes before those of `moved`, and these before those of `found`.
     */
    files: [
      ...filterLookups(input, tags, segments),
      ...slotLookups(rules.slots),
      ...segments.lookups.values(),
      ...files.lookups,
      ownLookup,
    ],
    /** Variables with files to redirect to; the first that exists counts. */
    // Relative links lead nowhere from another folder than the file's.
    moved: input.redirects ? ["moved", "empty"] : [],
    /** Variables with files that answer; the first that exists counts. */
    found: files.found,
    /** Content types of those of them whose files' names do not tell it. */
    typed: files.typed,
    /** The file of the answer 404. */
    notFound: notFoundLookup(input),
    /** The decoded path of a page's old address, and its page; empty where there is none. Its cases are exact. */
    old: lookup("old", "{path}", { "^((?s:.*[^/]))/?\\z": "$1" }, ""),
    redirect: lookup("redirect", "{old}", redirectCases(input), ""),
    headers: headerLookups(input),
    /** Content types that the files' names do not tell, by patterns of their paths. */
    typesByPath: valuesOf("Content-Type", input.headers),
  };
}

/** What none of nginx, Caddy and Apache can reproduce. */
export function commonLimits({ rules }: HostInput): string[] {
  return [
    ...sizeLimits(rules.slots),
    "combinations of filters that were not precomputed are answered with 404",
    "values in a query whose plain letters or digits are escaped, such as %61 for a, are answered with 404",
    "a tag that is named twice in one request is taken for two: the answer is 404, or an empty list",
  ];
}

function redirectCases({ oldAddresses }: HostInput): LookupCase[] {
  return Array.from(oldAddresses, ([path, page]): LookupCase => [path, `/${page}`, "exact"]);
}

function requestLookups({ rules }: HostInput): Lookup[] {
  const reads = "^(?:GET|HEAD)&[^&]*&";
  const statuses = {
    "^OPTIONS&yes&": "204",
    [reads + longerThan(longestTarget)]: "414",
    [badTarget.replace("^", reads)]: "400",
    [lostTarget.replace("^", reads)]: "404",
    [reads]: "",
  };
  return [
    lookup("below", "{path}", { [belowRoot(rules.root)]: "yes" }, ""),
    lookup("early", "{request_method}&{below}&{asked}", statuses, "405"),
    lookup("preflight", "{early}", { "^204$": "204" }, ""),
  ];
}

/** By the target as it was sent and as the host reads it: an escaped ".." may have led out of the mirror. */
function notFoundLookup({ rules, notFound }: HostInput): Lookup {
  const api = `/${notFound.api}`;
  const inMirror = {
    [`^/${literal(rules.root)}[/? ]`]: api,
    [belowRoot(rules.root).replace("^", "^[^ ]+ ")]: api,
  };
  return lookup("not_found", "{asked} {path}", inMirror, `/${notFound.site}`);
}

/** That of an image's address is told by its query, and a folder is none. */
const ownLookup = lookup(
  "own",
  "{kind}&{path}",
  { "^[iw]&": "/_", "&((?s:.*[^/]))\\z": "$1" },
  "/_",
);

import { fileLookups } from "./file-lookups.ts";
import { filterLookups } from "./filter-lookups.ts";
import type { HostInput } from "./host.ts";
import { sizeLimits } from "./limits.ts";
import { type Lookup, lookup } from "./lookup.ts";
import { badTarget, belowRoot, firstOf, literal, lostTarget } from "./patterns.ts";
import { compressibleTypes, contentTypes } from "./responses.ts";
import { asTheyAre, createSegments } from "./segment-lookups.ts";
import { slotLookups } from "./slot-lookups.ts";
import { fixedNames, targetLookups, variableOf } from "./target-lookups.ts";

/** Statuses that `early` may have, in the order in which they are told. */
export const earlyStatuses = ["204", "405", "414", "400", "404"];

export type Model = ReturnType<typeof modelOf>;

/**
 * How requests are answered from the files of an archive, as data. nginx, Caddy and Apache print it. What the lookups
 * fill is safe to be put behind the publish root.
 */
export function modelOf(input: HostInput, spelling = asTheyAre) {
  const { rules, headers } = input;
  const tags = tagsOf(input);
  const segments = createSegments(input, spelling);
  const files = fileLookups(input, segments);
  const found: { variable: string; type?: string | undefined }[] = [
    { variable: "file" },
    { variable: "empty" },
    ...files.others.map(({ lookup, type }) => ({ variable: lookup.name, type })),
  ];
  return {
    /** The API's parameters, as they were sent. */
    parameters: parameterLookups(input),
    /**
     * How many different tags one list can be asked for by. The variables `raw_tag1`, `raw_tag2`, … must be filled
     * with so many of `q_tags`, and `more_tags` with anything where there are more.
     */
    tags,
    /**
     * About the request: `below` is "yes" below the mirror root; `early` is the status of an answer that no file is
     * looked at for; `allow` is the header of 405; `not_found` is the file of the answer 404.
     */
    request: requestLookups(input),
    /** Tell what is asked for, from the parameters: its `kind` and `id`. */
    target: targetLookups(input, spelling),
    /** Find files. Each needs those before it, and all of the above. */
    files: [
      ...filterLookups(input, tags, spelling),
      ...slotLookups(rules.slots),
      ...segments.lookups,
      ...files.lookups,
    ],
    /** Ids and names that patterns alone do not find. */
    listed: segments.listed,
    /** Fills `own` with the file at the path itself, if that may answer. */
    own: ownLookup,
    /** Variables with files to redirect to; the first that exists counts. They come before those that answer. */
    // Relative links lead nowhere from another folder than the file's.
    moved: input.redirects ? ["moved", "empty"] : [],
    /** Variables with files that answer, the first that exists, and their types where the name does not tell them. */
    found,
    /** Content types, with their parameters, and the extensions of each. */
    types: contentTypes(),
    /** Content types that are worth compressing, without parameters. */
    compressible: compressibleTypes(),
    headers,
    /** What none of these hosts can reproduce. */
    limits: [
      ...sizeLimits(rules.slots, "boxes"),
      "combinations of filters that were not precomputed are answered with 404",
      "values in a query whose plain letters or digits are escaped, such as %61 for a, are answered with 404",
      "a tag that is named twice, with escapes in upper case and in lower case, is answered with 404",
    ],
  };
}

/** Lookups of the parameters that any endpoint knows. */
function parameterLookups({ rules: { endpoints } }: HostInput): Lookup[] {
  const names = new Set([
    "page",
    ...endpoints.flatMap((endpoint) => endpoint.filters),
    ...["thumb", "orientation", "scale", "width", "height"],
    ...fixedNames(endpoints),
  ]);
  return Array.from(names, (name) => {
    return lookup(variableOf(name), "{query}", { [firstOf(name)]: "$1" }, "");
  });
}

/** How many tags the longest combination of filters has. */
function tagsOf({ rules: { endpoints, filters } }: HostInput): number {
  if (!endpoints.some((endpoint) => endpoint.filters.includes("tags"))) return 0;
  return Math.max(0, ...filters.map((name) => name.match(/tag/g)?.length ?? 0));
}

function requestLookups({ rules, longestTarget, notFound }: HostInput): Lookup[] {
  const below = belowRoot(rules.root);
  const api = `/${notFound.api}`;
  return [
    lookup("below", "{path}", { [below]: "yes" }, ""),
    lookup(
      "method",
      "{request_method}&{below}",
      { "^(?:GET|HEAD)&": "", "^OPTIONS&yes$": "204" },
      "405",
    ),
    lookup(
      "early",
      "{method}&{asked}",
      {
        "^([0-9]+)&": "$1",
        [`^&.{${longestTarget + 1}}`]: "414",
        [badTarget.replace("^", "^&")]: "400",
        [lostTarget.replace("^", "^&")]: "404",
      },
      "",
    ),
    lookup(
      "allow",
      "{early}&{below}",
      { "^405&yes$": "GET, HEAD, OPTIONS", "^405&": "GET, HEAD" },
      "",
    ),
    // As it was sent, and as the host reads it: an escaped ".." may have led out of the mirror.
    lookup(
      "not_found",
      "{asked} {path}",
      { [`^/${literal(rules.root)}[/? ]`]: api, [below.replace("^", "^[^ ]+ ")]: api },
      `/${notFound.site}`,
    ),
  ];
}

/** That of an image's address is told by its query, and a folder is none. */
const ownLookup = lookup(
  "own",
  "{kind}&{path}",
  { "^[iw]&": "/_", "&((?s:.*[^/]))\\z": "$1" },
  "/_",
);

import { headersOf } from "../routes/headers.ts";
import type { Endpoint } from "../routes/rules.ts";
import { createTable, linkFolder } from "../routes/table.ts";
import type { HostInput } from "./host.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
import { probe, type Segments } from "./segment-lookups.ts";

/** A file for one kind of requests. */
type FileLookup = [name: string, kind: string, path: string];

/**
 * Lookups of the files that may answer, when kind, id, segments, filters and slots are known; "/_" is none. Originals
 * and links to other files have one for each ending, of which at most one file exists.
 */
export function fileLookups(input: HostInput, segments: Segments) {
  const { root, endpoints } = input.rules;
  const table = createTable(input.rules);
  const image = segments.variable("{id}", false);
  const files: LookupCase[] = [
    ["i", `/${root}/images{slot}/{${image}}.jpg`, "exact"],
    ["w", `/${root}/images{slot}/{id}.jpg`, "exact"],
  ];
  const [empty, moved]: [LookupCase[], LookupCase[]] = [[], []];
  const nothing: Lookup[] = [];
  for (const [at, endpoint] of endpoints.entries()) {
    const { target, filters, query } = endpoint;
    const kind = `e${at}`;
    const page = filters.length === 0 ? "{page}" : `{by${at}}{page}`;
    const file = { single: "", all: "/index.json", index: page, attachments: page }[target.route];
    files.push([kind, `/${root}/${segments.place(endpoint)}${file}`, "exact"]);
    const own = query.length === 0 && isBesideItsFile(endpoint);
    moved.push([own ? `^${kind}&(?s:.*)/\\z` : `^${kind}&`, "moved"]);
    if (target.route !== "index" || filters.length === 0) continue;
    empty.push([kind, `{none${at}}`, "exact"]);
    const value = `/${table.emptyFileOf(target.index as "articles" | "galleries")}`;
    nothing.push(lookup(`none${at}`, `{by${at}}={page}`, emptyCases(input, value), "/_"));
  }
  const folderOfLinks = `/${linkFolder(root).slice(0, -1)}`;
  const others = [
    ...input.originalEndings.map((ending, at): FileLookup => {
      const path = table.fileOfOriginal(probe, ending).replace(probe, () => `{${image}}`);
      return [`original${at}`, "d", `/${path}`];
    }),
    // The id begins with a slash.
    ...input.linked.endings.map((ending, at): FileLookup => {
      return [`linked${at}`, "l", `${folderOfLinks}{id}/index${ending}`];
    }),
  ];
  return {
    lookups: [
      ...nothing,
      lookup("file", "{kind}", files, "/_"),
      lookup("empty", "{kind}", empty, "/_"),
      ...others.map(([name, kind, path]) => lookup(name, "{kind}", [[kind, path, "exact"]], "/_")),
      lookup("place", "{kind}&{path}", input.redirects ? moved : [], ""),
      lookup("moved", "{place}", [["moved", "{file}", "exact"]], "/_"),
    ],
    found: ["file", "empty", ...others.map(([name]) => name)],
    typed: others.flatMap(([name, , path]): [string, string][] => {
      const type = headersOf(path.slice(1), input.headers)["Content-Type"];
      return type === undefined ? [] : [[name, type]];
    }),
  };
}

/** Whether relative links in an endpoint's answer lead to the same from its URL and from its file. */
function isBesideItsFile({ target, path, place }: Endpoint): boolean {
  const folderOf = (text: string): string => text.slice(0, text.lastIndexOf("/") + 1);
  return target.route === "single" && folderOf(path.slice(1)) === folderOf(place);
}

/** Filters that nothing is left of have this file; a page behind its first one is not there. */
function emptyCases({ tagMatch }: HostInput, value: string): LookupCase[] {
  const first: LookupCase = ["^/by/[^=]*=/index\\.json$", value];
  // Of two tags, of which any counts, one that nobody knows leaves what the other one lists.
  return tagMatch === "any" ? [["^/by/tags/[^/=]+/tags/", "/_"], first] : [first];
}

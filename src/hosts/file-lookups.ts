import { headersOf } from "../routes/headers.ts";
import { encodeSegment } from "../routes/segments.ts";
import { createTable, linkFolder, type MirrorTable } from "../routes/table.ts";
import { isRedirected, probe } from "./edge-requests.ts";
import type { HostInput } from "./host.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
import type { Segments } from "./segment-lookups.ts";

/**
 * Lookups of the files that may answer, when kind, id, segments, filters and slots are known; "/_" is none. `others`
 * are those of originals and of links to other files, one for each ending, of which at most one exists; with their
 * content types, where the files' names do not tell them.
 */
export function fileLookups(input: HostInput, segments: Segments) {
  const { root, endpoints } = input.rules;
  const table = createTable(input.rules);
  const image = segments.variable("{id}", false, encodeSegment);
  const others = otherFiles(input, table, image);
  const files: LookupCase[] = [
    { exact: "i", value: `/${root}/images{slot}/{${image}}.jpg` },
    { exact: "w", value: `/${root}/images{slot}/{id}.jpg` },
  ];
  const [empty, moved]: [LookupCase[], LookupCase[]] = [[], []];
  const nothing: Lookup[] = [];
  for (const [at, endpoint] of endpoints.entries()) {
    const { target, filters, query } = endpoint;
    const exact = `e${at}`;
    const page = filters.length === 0 ? "{page}" : `{by${at}}{page}`;
    const file = { single: "", all: "/index.json", index: page, attachments: page }[target.route];
    files.push({ exact, value: `/${root}/${segments.place(endpoint)}${file}` });
    const own = query.length === 0 && !isRedirected(endpoint, { redirects: true });
    moved.push({ pattern: own ? `^${exact}&(?s:.*)/\\z` : `^${exact}&`, value: "moved" });
    if (target.route !== "index" || filters.length === 0) continue;
    empty.push({ exact, value: `{none${at}}` });
    const value = `/${table.emptyFileOf(target.index as "articles" | "galleries")}`;
    nothing.push(lookup(`none${at}`, `{by${at}}={page}`, emptyCases(input, value), "/_"));
  }
  return {
    lookups: [
      ...nothing,
      lookup("file", "{kind}", files, "/_"),
      lookup("empty", "{kind}", empty, "/_"),
      ...others.map((other) => other.lookup),
      lookup("place", "{kind}&{path}", input.redirects ? moved : [], ""),
      lookup("moved", "{place}", [{ exact: "moved", value: "{file}" }], "/_"),
    ],
    others,
  };
}

function otherFiles(input: HostInput, table: MirrorTable, image: string) {
  const other = (name: string, kind: string, value: string) => ({
    lookup: lookup(name, "{kind}", [{ exact: kind, value }], "/_"),
    type: headersOf(value.slice(1), input.headers)["Content-Type"],
  });
  const originals = input.originals.endings.map((ending, at) => {
    const path = table.fileOfOriginal(probe, ending).replace(probe, () => `{${image}}`);
    return other(`original${at}`, "d", `/${path}`);
  });
  const folder = linkFolder(input.rules.root).slice(0, -1);
  const links = input.linked.endings.map((ending, at) =>
    // The id begins with a slash.
    other(`linked${at}`, "l", `/${folder}{id}/index${ending}`),
  );
  return [...originals, ...links];
}

/** Filters that nothing is left of have this file; a page behind its first one is not there. */
function emptyCases({ tagMatch }: HostInput, value: string): LookupCase[] {
  const first = { pattern: "^/by/[^=]*=/index\\.json$", value };
  // Of two tags, of which any counts, one that nobody knows leaves what the other one lists.
  const known = { pattern: "^/by/tags/[^/=]+/tags/", value: "/_" };
  return tagMatch === "any" ? [known, first] : [first];
}

import { headersOf } from "../routes/headers.ts";
import type { Endpoint } from "../routes/rules.ts";
import { linkFolder, type MirrorTable } from "../routes/table.ts";
import { isRedirected } from "./edge-requests.ts";
import type { HostInput } from "./host.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
import { probe, type Segments } from "./segment-lookups.ts";

/** A file of an original, or of a link to another file. One lookup for each ending, of which at most one exists. */
export interface OtherFile {
  lookup: Lookup;
  /** Content type, where the file's name does not tell it. */
  type: string | undefined;
}

/** Lookups of the files that may answer, when kind, id, segments, filters and slots are known; "/_" is none. */
export function fileLookups(
  input: HostInput,
  table: MirrorTable,
  segments: Segments,
): { lookups: Lookup[]; others: OtherFile[] } {
  const { root, endpoints } = input.rules;
  const image = segments.variable("{id}", false, (id) => {
    const name = table.fileOfImage(id, "web", "jpeg").split("/").at(-1) ?? "";
    return name.slice(0, -".jpg".length);
  });
  const others = otherFiles(input, table, image);
  const lists = endpoints.map((endpoint, at): EndpointFiles => {
    const folder = `/${root}/${segments.place(endpoint)}`;
    return endpointFiles(endpoint, { at, folder, table, input });
  });
  const files: LookupCase[] = [
    { exact: "i", value: `/${root}/images{slot}/{${image}}.jpg` },
    { exact: "w", value: `/${root}/images{slot}/{id}.jpg` },
    ...lists.map(({ file }) => file),
  ];
  const empty = lists.flatMap(({ none }, at): LookupCase[] =>
    none === undefined ? [] : [{ exact: `e${at}`, value: `{${none.name}}` }],
  );
  const moved = input.redirects ? lists.flatMap((one) => one.moved ?? []) : [];
  return {
    lookups: [
      ...lists.flatMap(({ none }) => none ?? []),
      lookup("file", "{kind}", files, "/_"),
      lookup("empty", "{kind}", empty, "/_"),
      ...others.map((other) => other.lookup),
      lookup("place", "{kind}&{path}", moved, ""),
      lookup("moved", "{place}", [{ exact: "moved", value: "{file}" }], "/_"),
    ],
    others,
  };
}

function otherFiles(input: HostInput, table: MirrorTable, image: string): OtherFile[] {
  const other = (name: string, kind: string, value: string): OtherFile => ({
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

/** The answers of one endpoint. */
interface EndpointFiles {
  file: LookupCase;
  /** The file of filters that nothing is left of. */
  none?: Lookup;
  /** Matches requests that are redirected to their file. */
  moved?: LookupCase;
}

function endpointFiles(
  endpoint: Endpoint,
  {
    at,
    folder,
    table,
    input,
  }: { at: number; folder: string; table: MirrorTable; input: HostInput },
): EndpointFiles {
  const { target, filters } = endpoint;
  const exact = `e${at}`;
  const own = endpoint.query.length === 0 && !isRedirected(endpoint, { redirects: true });
  const moved = { pattern: own ? `^${exact}&(?s:.*)/\\z` : `^${exact}&`, value: "moved" };
  if (target.route === "single") return { file: { exact, value: folder }, moved };
  if (target.route === "all") return { file: { exact, value: `${folder}/index.json` }, moved };
  if (filters.length === 0) return { file: { exact, value: `${folder}{page}` }, moved };
  const file = { exact, value: `${folder}{by${at}}{page}` };
  if (target.route !== "index") return { file, moved };
  // What no filter leaves anything of; a page behind its first one is not there.
  const value = `/${table.emptyFileOf(target.index as "articles" | "galleries")}`;
  const first = { pattern: "^/by/[^=]*=/index\\.json$", value };
  // Of two tags, of which any counts, one that nobody knows leaves what the other one lists.
  const known = { pattern: "^/by/tags/[^/=]+/tags/", value: "/_" };
  const cases = input.tagMatch === "any" ? [known, first] : [first];
  return { file, moved, none: lookup(`none${at}`, `{by${at}}={page}`, cases, "/_") };
}

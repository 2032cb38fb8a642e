import type { Endpoint } from "../routes/rules.ts";
import { plainSegment } from "../routes/segments.ts";
import type { JsonRequest, MirrorTable } from "../routes/table.ts";
import type { HostInput } from "./host.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
import { reserved, spelled } from "./patterns.ts";

/** An id that is its own segment, and stands nowhere in a path by chance. */
export const probe = "0-id-0";

export type Segments = ReturnType<typeof createSegments>;

/** Lookups of the segments of ids, one for each form of a segment that has an id in it. */
export function createSegments({ rules, names }: HostInput, table: MirrorTable) {
  const lookups: Lookup[] = [];
  const groups = new Map<string, string>();
  return {
    lookups,
    variable,
    /** Path of an endpoint's answers below the mirror root, with variables. */
    place(endpoint: Endpoint): string {
      const forms = endpoint.place.split("/");
      const parts = partsOf(endpoint, probe).map((part, at) => {
        const form = forms[at] ?? "";
        if (!form.includes("{id}")) return part;
        const ending = form === "{id}.json" ? ".json" : "";
        const without = (text: string): string => text.slice(0, text.length - ending.length);
        const inQuery = !endpoint.path.includes("{id}");
        const name = variable(without(form), inQuery, (id) =>
          without(partsOf(endpoint, id)[at] ?? ""),
        );
        return `{${name}}${ending}`;
      });
      return parts.join("/");
    },
  };

  /** Variable of the segment that a form gives to ids; those of a query are undecoded. */
  function variable(form: string, inQuery: boolean, segmentOf: (id: string) => string): string {
    const key = `${form} ${inQuery}`;
    const name = groups.get(key) ?? `seg${groups.size}`;
    if (groups.has(key)) return name;
    groups.set(key, name);
    const cases = [
      ...names.map(({ value }) => nameCase(value, segmentOf(value), inQuery)),
      { pattern: reserved, value: "_" },
      { pattern: `^(${plainSegment})\\z`, value: segmentOf(probe).replace(probe, "$1") },
    ];
    lookups.push(lookup(name, "{id}", cases, "_"));
    return name;
  }

  /** Path of an endpoint's answers below the mirror root; of a list, its folder. */
  function partsOf({ target }: Endpoint, id: string): string[] {
    const path = table.fileOf({ ...target, id, page: 1 } as JsonRequest) ?? "";
    const parts = path.slice(rules.root.length + 1).split("/");
    return target.route === "single" ? parts : parts.slice(0, -1);
  }
}

/** The segment of a value that is not its own one; in a query, it may have to be escaped. */
export function nameCase(name: string, segment: string, inQuery: boolean): LookupCase {
  const asItIs = !inQuery || /^[\w.~-]+$/.test(name);
  return asItIs
    ? { exact: name, value: segment }
    : { pattern: `^${spelled(name)}$`, value: segment };
}

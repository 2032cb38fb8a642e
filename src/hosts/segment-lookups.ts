import type { Endpoint } from "../routes/rules.ts";
import { plainSegment, reservedNames } from "../routes/segments.ts";
import { placeOf } from "../routes/table.ts";
import type { HostInput } from "./host.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
import { reserved, spelled } from "./patterns.ts";

/** What a host holds of values when their segments are looked for. */
export interface Spelling {
  /** What it holds of a value, or of the path of a link. */
  held: (value: string) => string;
  /** Matches what is a segment as it is held. */
  plain: string;
}

/** An id that is its own segment, and stands nowhere in a path by chance. */
export const probe = "0-id-0";

/** Values as they are. */
export const asTheyAre: Spelling = { held: (value) => value, plain: plainSegment };

export type Segments = ReturnType<typeof createSegments>;

/** Lookups of the segments of ids, one for each form of a segment that has an id in it, such as `{id}`. */
export function createSegments({ names }: HostInput, { held, plain }: Spelling) {
  const lookups = new Map<string, Lookup>();
  const isPlain = new RegExp(`^(?!(?:${reservedNames})(?:\\.|$)|.*\\.json$)(?:${plain})$`);
  return {
    lookups,
    cases,
    variable,
    /** Path of an endpoint's answers below the mirror root, with variables. */
    place(endpoint: Endpoint): string {
      const inQuery = !endpoint.path.includes("{id}");
      const parts = endpoint.place.split("/").map((form) => {
        if (!form.includes("{id}")) return placeOf({ place: form }, "");
        const ending = form === "{id}.json" ? ".json" : "";
        return `{${variable(form.slice(0, form.length - ending.length), inQuery)}}${ending}`;
      });
      return parts.join("/");
    },
  };

  /** The segments that a form makes of values; those of a query are undecoded. "_" is no segment of anything. */
  function cases(form: string, inQuery: boolean): LookupCase[] {
    const segmentOf = (id: string): string => placeOf({ place: form }, id);
    const around = segmentOf(probe);
    const named: LookupCase[] = [];
    for (const { value } of names) {
      const [spelling, segment] = [held(value), segmentOf(value)];
      if (isPlain.test(spelling) && around.replace(probe, spelling) === segment) continue;
      named.push(nameCase(spelling, segment, inQuery));
    }
    return [...named, [reserved, "_"], [`^(${plain})\\z`, around.replace(probe, "$1")]];
  }

  function variable(form: string, inQuery: boolean): string {
    const key = `${form} ${inQuery}`;
    const name = `seg${lookups.size}`;
    const found = lookups.get(key) ?? lookup(name, "{id}", cases(form, inQuery), "_");
    lookups.set(key, found);
    return found.name;
  }
}

/** The segment of a value that is not its own one; in a query, it may have to be escaped. */
function nameCase(name: string, segment: string, inQuery: boolean): LookupCase {
  const asItIs = !inQuery || /^[\w.~-]+$/.test(name);
  return asItIs ? [name, segment, "exact"] : [`^${spelled(name)}$`, segment];
}

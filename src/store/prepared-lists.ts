import type { ListName } from "./list-names.ts";
import type { ObjectStore } from "./objects.ts";
import type { Preparation, Prepared } from "./prepared.ts";
import type { Collection, Normals } from "./records.ts";
import type { Ref, SnapshotManifest, Snapshots } from "./snapshots.ts";

export interface Sources {
  objects: ObjectStore;
  snapshots: Snapshots;
  prepared: Prepared;
}

/** How many of the parts that were asked for last are held. */
const recentParts = 8;

/** A list of objects of a collection. */
export type ListOf<C extends Collection> = ListName & (C | `${C}.${string}`);

/** A record of a list with what was worked out of it. */
export interface PreparedRef<T> extends Ref {
  value: T;
}

/** The normalised forms of a list, without a look at the raw ones. */
const normals: Preparation<unknown> = { name: "normal", of: ({ normal }) => normal };

/** The lists of a snapshot with what was worked out of their records. */
export function preparedLists(
  { objects, snapshots, prepared }: Sources,
  manifest: Pick<SnapshotManifest, "lists">,
) {
  const partTables = new Map<ListName, Map<string, string>>();
  /** Parts that were asked for last, by preparation. */
  const recent = new Map<string, ReadonlyMap<string, unknown>>();

  function preparedPart<T, C extends Collection>(
    name: ListName,
    part: string,
    preparation: Preparation<T, C>,
  ): PreparedRef<T>[] {
    const refs = [...snapshots.refs({ parts: [part] })];
    const values = prepared.of(part, preparation.name, () =>
      refs.map(({ digest }) => preparation.of(objects.read<C>(name as C, digest))),
    );
    return refs.map((ref, at) => ({ ...ref, value: values[at] as T }));
  }

  function* preparedIn<T, C extends Collection>(name: ListName, preparation: Preparation<T, C>) {
    for (const part of manifest.lists[name]?.parts ?? [])
      yield* preparedPart(name, part, preparation);
  }

  /** The part of a list that an id stands in, through a table made at the first call. */
  function partOf(name: ListName, id: string): string | undefined {
    let table = partTables.get(name);
    if (table === undefined) {
      table = new Map();
      for (const part of manifest.lists[name]?.parts ?? [])
        for (const ref of snapshots.refs({ parts: [part] })) table.set(ref.id, part);
      partTables.set(name, table);
    }
    return table.get(id);
  }

  function preparedOf<T, C extends Collection>(
    name: ListName,
    id: string,
    preparation: Preparation<T, C>,
  ): T | undefined {
    const part = partOf(name, id);
    if (part === undefined) return undefined;
    const key = `${preparation.name} ${part}`;
    const values = recent.get(key) ?? valuesById(preparedPart(name, part, preparation));
    recent.delete(key);
    recent.set(key, values);
    for (const oldest of recent.keys()) if (recent.size > recentParts) recent.delete(oldest);
    return values.get(id) as T;
  }

  return {
    /** What a preparation says of each record of a list, in the origin's order. */
    prepared: preparedIn,
    /** The normalised forms of a list, in the origin's order. */
    normals: <C extends Collection>(name: ListOf<C>) =>
      preparedIn(name, normals as Preparation<Normals[C], C>),
    /** What it says of the record of an id; undefined where the list has none. Cheap in the order of the list. */
    preparedOf,
  };
}

const valuesById = <T>(refs: readonly PreparedRef<T>[]): ReadonlyMap<string, T> =>
  new Map(refs.map(({ id, value }) => [id, value]));

import type { Config } from "../config.ts";
import { isObject } from "../lib/objects.ts";
import { type ItemRecord, type Items, recordsIn } from "./visibility.ts";

export type Exclude = Config["site"]["exclude"];

/**
 * Finds what `site.exclude` takes down: the items that it names, those of its categories and tags, and these themselves.
 * Records are read as the origin wrote them, because a service may say a category or tag in more than one way.
 */
export function readExcluded(snapshot: Items, exclude: Exclude) {
  /** By name, such as `articles/{id}`. */
  const records = new Map<string, ItemRecord>();
  const unused = new Set(
    Object.entries(exclude).flatMap(([list, texts]) => texts.map((text) => `${list} ${text}`)),
  );
  const entries = {
    ids: new Set(exclude.ids),
    slugs: new Set(exclude.slugs),
    categories: new Set(exclude.categories),
    tags: new Set(exclude.tags),
  };
  const isNamed = (list: keyof Exclude, texts: readonly string[]): boolean => {
    const named = texts.filter((text) => entries[list].has(text));
    for (const text of named) unused.delete(`${list} ${text}`);
    return named.length > 0;
  };
  /** All that excluded categories and tags are called. */
  const groups = { categories: new Set<string>(), tags: new Set<string>() };
  const isMember = (list: keyof typeof groups, texts: readonly string[]): boolean =>
    isNamed(list, texts) || texts.some((text) => groups[list].has(text));

  const all = unused.size === 0 ? [] : [...recordsIn(snapshot, true)];
  const take = (record: ItemRecord) => records.set(`${record.kind}/${record.ref.id}`, record);
  for (const record of all) {
    const { kind, ref } = record;
    if (kind !== "categories" && kind !== "tags") continue;
    const names = namesIn(JSON.parse(snapshot.readRaw(ref)));
    if (!isNamed("ids", [ref.id]) && !isNamed(kind, names)) continue;
    for (const name of names) groups[kind].add(name);
    take(record);
  }
  for (const record of all) {
    const { kind, ref } = record;
    if (kind === "categories" || kind === "tags") continue;
    const { slug, category, tags }: Record<string, unknown> = JSON.parse(snapshot.readRaw(ref));
    const reasons = [
      isNamed("ids", [ref.id]),
      isNamed("slugs", namesIn(slug)),
      isMember("categories", namesIn(category)),
      isMember("tags", Object.values(Object(tags)).flatMap(namesIn)),
    ];
    if (reasons.includes(true)) take(record);
  }
  return { records, unused: [...unused] };
}

/** What a category, a tag or a slug is called: itself, or what its object says. */
function namesIn(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  return isObject(value) ? [value.id, value.slug, value.title].flatMap(namesIn) : [];
}

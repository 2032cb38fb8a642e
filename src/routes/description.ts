import type { Config } from "../config.ts";
import type { Behind, FilterLinks } from "./learned.ts";
import type { Rules } from "./rules.ts";

/** What `mirror.json` below a mirror's root says: all that a server needs to answer the API's URLs from the files. */
export interface MirrorDescription {
  /** Version of this form. */
  stillpress: 1;
  rules: Rules;
  /** How links in the mirror are written. */
  links: Config["mirror"]["links"];
  /** Public address that the links begin with; null where they are relative or start at the host's root. */
  url: string | null;
  /** What several tags in one request mean. */
  tagMatch: "any" | "all";
  /** How links of filtered lists are written, where that was learnt. */
  filterLinks?: FilterLinks | undefined;
  /** How the origin answers behind the last page of an index; 404 where that was not learnt. */
  behind?: Record<string, Behind> | undefined;
  /** Sizes that requests name by a word, and how a server makes images that were not precomputed. */
  media: Pick<Config["media"], "web" | "thumbs" | "quality" | "limitPixels">;
  /** Endings of the originals' files, such as ".jpg", the most frequent first. */
  originals: string[];
  /** Endings of the files of videos, documents and audio at the paths that their links have; older mirrors have none. */
  linked?: string[];
  /** Whether the server answers any combination of filters and any size of an image, or only those with a file. */
  answers: "files" | "any";
}

/** What a mirror answers with status 404 where it has nothing, in `404.json` below its root. */
export const notFoundBody = '{"message":"Not found in this archive."}';

/** Below the mirror root. */
export const descriptionFile = "mirror.json";
/** What the mirror answers, for programs that make clients; below the mirror root. */
export const openApiFile = "openapi.json";

/** JSON Schema of the objects of a kind. */
export const schemaPath = (root: string, name: string): string => `${root}/schemas/${name}.json`;

/** Whether a file below the mirror root is none of the origin's answers. */
export function isOwnFile(path: string, root: string): boolean {
  const own = [descriptionFile, "404.json", openApiFile].map((name) => `${root}/${name}`);
  return own.includes(path) || path.startsWith(`${root}/schemas/`);
}

/** What the index of an index's filters says: `by/index.json`. */
export interface FilterIndex {
  /** Items on a page of the index; 0 where it has no pages. */
  perPage: number;
  /** Number of each category by its names. */
  categories: Record<string, number>;
  /** Number of each tag by its slug. */
  tags: Record<string, number>;
  /** Of each item, in the index's order: year * 100 + month or 0, number of its category or -1, those of its tags. */
  items: [month: number, category: number, ...tags: number[]][];
}

/** Number of a category or tag that the archive does not know: no item has it, and -1 is an item without a category. */
const unknownName = -2;

/** Positions of the items that filters leave, in the order of the index. */
export function positionsOf(
  index: FilterIndex,
  filters: { year?: number; month?: number; category?: string; tags?: readonly string[] },
  tagMatch: "any" | "all",
): number[] {
  const { year, month, category, tags = [] } = filters;
  const numberIn = (numbers: Record<string, number>, name: string): number =>
    Object.hasOwn(numbers, name) ? (numbers[name] as number) : unknownName;
  const wantedCategory = category === undefined ? undefined : numberIn(index.categories, category);
  const wantedTags = new Set(tags.map((tag) => numberIn(index.tags, tag)));
  const neededTags = tagMatch === "any" ? Math.min(1, wantedTags.size) : wantedTags.size;
  const positions: number[] = [];
  for (const [at, [time, ofCategory, ...ofTags]] of index.items.entries()) {
    if (year !== undefined && (time === 0 || Math.floor(time / 100) !== year)) continue;
    if (month !== undefined && time % 100 !== month) continue;
    if (wantedCategory !== undefined && ofCategory !== wantedCategory) continue;
    const found = ofTags.filter((tag) => wantedTags.has(tag));
    if (neededTags > 0 && new Set(found).size < neededTags) continue;
    positions.push(at);
  }
  return positions;
}

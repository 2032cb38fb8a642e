import type { Element } from "hast";
import { bodyHash } from "../routes/site.ts";
import { element, text, textIn } from "./nodes.ts";

/** A heading of a body, as its contents name it. */
export interface Heading {
  /** Of the element. */
  id: string;
  title: string;
  /** 2 to 6. */
  level: number;
}

const isHeading = ({ tagName }: Element): boolean => /^h[1-6]$/.test(tagName);

/** What generators leave of `## Part {#id}` where they do not know it. */
const writtenId = /\s*\{#([\w.:-]+)\}\s*$/;

/**
 * Name of a heading, as GitHub and most generators make it.
 *
 * slugOf("What’s new in 2024?") → "whats-new-in-2024"
 */
export function slugOf(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, "")
    .replace(/\s/g, "-");
}

/** What names of a title have in common, whatever generator made them: "what-s-new", "Whats_New". */
export const lettersOf = (name: string): string =>
  name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/**
 * Gives each heading the level below that of the heading that it belongs to, from 2 on, so that none is skipped; and an
 * id of its title, if it has none. An id depends on nothing but headings of the same title that stand before.
 *
 * @param elements of a body, in document order; they are changed
 * @param prefix of all ids
 */
export function nameHeadings(elements: readonly Element[], prefix: string): Heading[] {
  const taken = new Set(elements.flatMap(({ properties: { id, name } }) => [id, name]));
  const above: { written: number; level: number }[] = [];
  const counts = new Map<string, number>();
  return elements.filter(isHeading).flatMap((heading) => {
    const written = Number(heading.tagName[1]);
    while ((above.at(-1)?.written ?? 0) >= written) above.pop();
    const level = Math.min(6, (above.at(-1)?.level ?? 1) + 1);
    above.push({ written, level });
    heading.tagName = `h${level}`;
    const named = takeWrittenId(heading);
    const title = textIn(heading.children).replace(/\s+/g, " ").trim();
    if (title === "") return [];
    const own = heading.properties.id;
    const id =
      typeof own === "string" ? own : distinct(prefix + (named ?? (slugOf(title) || "section")));
    heading.properties.id = id;
    taken.add(id);
    return [{ id, title, level }];
  });

  function distinct(name: string): string {
    let id = name;
    for (let count = counts.get(name) ?? 0; taken.has(id); ) {
      count++;
      counts.set(name, count);
      id = `${name}-${count}`;
    }
    return id;
  }
}

function takeWrittenId({ children }: Element): string | undefined {
  const last = children.at(-1);
  if (last?.type !== "text") return undefined;
  const id = writtenId.exec(last.value)?.[1];
  if (id !== undefined) last.value = last.value.replace(writtenId, "");
  return id;
}

/** Headings that a text has at least for contents of its own. */
const fewest = 4;
/** Deeper ones would make the contents as long as a text. */
const deepest = 3;

/** The headings that the contents of a text list; none for a short one. */
export function contentsOf(headings: readonly Heading[]): Heading[] {
  const listed = headings.filter(({ level }) => level <= deepest);
  return listed.length < fewest ? [] : listed;
}

/** The link to a heading, on its own page. */
export const headingHref = ({ id }: Heading): string => bodyHash(`#${encodeURIComponent(id)}`);

/** A quiet link to each heading, for those who pass it on. */
export function linkHeadings(
  elements: readonly Element[],
  headings: readonly Heading[],
  ariaLabel: string,
): void {
  const byId = new Map(headings.map((heading) => [heading.id, heading]));
  for (const shown of elements) {
    const heading = isHeading(shown) ? byId.get(String(shown.properties.id)) : undefined;
    if (heading === undefined) continue;
    const properties = { className: ["anchor"], href: headingHref(heading), ariaLabel };
    shown.children.push(element("a", properties, [text("#")]));
  }
}

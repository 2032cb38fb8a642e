import { membersOf, valuesAround } from "../lib/jsontext.ts";

/** Where in the origin's content something in a published file comes from, as far as that can be told. */
export interface Whereabouts {
  /** The item, such as `article 7f3c… ("Title")`. */
  item: string | undefined;
  /** Where it stands in the file. */
  place: string | undefined;
}

/** The kinds of items by the names of their lists. */
const kinds: Record<string, string> = {
  articles: "article",
  galleries: "gallery",
  images: "image",
  videos: "video",
  documents: "document",
  audio: "audio file",
  categories: "category",
  tags: "tag",
};
const lists = Object.keys(kinds).join("|");
const maxLength = 80;

/**
 * The item of a place in a published file: the nearest one around it in JSON; the page's own one in HTML, or the one
 * to which the last link before it leads.
 *
 * @param masked what may be printed of a text
 */
export function whereabouts(
  path: string,
  text: string,
  at: number,
  masked: (text: string) => string,
): Whereabouts {
  const name = (value: string): string => {
    const line = masked(value).replace(/\s+/g, " ").trim();
    return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
  };
  return (path.endsWith(".json") && inJson(path, text, at, name)) || inPage(path, text, at, name);
}

function inJson(
  path: string,
  text: string,
  at: number,
  name: (value: string) => string,
): Whereabouts | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const around = valuesAround(text, at);
  const keys = around.slice(1).map(({ key }) => key);
  let place = "";
  for (const key of keys) {
    if (typeof key === "number") place += `[${key}]`;
    else place += `${place === "" ? "" : "."}${name(String(key))}`;
  }
  for (const [depth, { start, end }] of [...around.entries()].reverse()) {
    const found = nameIn(text.slice(start, end), name);
    if (found === undefined) continue;
    return { item: `${kindAt(keys.slice(0, depth), path)} ${found}`, place: place || undefined };
  }
  return { item: ownItem(path, name), place: place || undefined };
}

/** Id or slug of an object, and its title; undefined where it has none. */
function nameIn(text: string, name: (value: string) => string): string | undefined {
  if (!text.startsWith("{")) return undefined;
  const members = membersOf(text);
  const shownOf = (member: string): string | undefined => {
    const span = members.get(member);
    if (span === undefined) return undefined;
    const value = JSON.parse(text.slice(span.start, span.end)) as unknown;
    const shown = typeof value === "string" || typeof value === "number" ? String(value) : "";
    return shown === "" ? undefined : name(shown);
  };
  const id = shownOf("id") ?? shownOf("slug");
  const title = shownOf("title");
  return id === undefined || title === undefined ? id : `${id} (${JSON.stringify(title)})`;
}

/** The kind of an item by the names of what it stands in, or by the file's path. */
function kindAt(keys: readonly (string | number | undefined)[], path: string): string {
  const holder = keys.findLast((key): key is string => typeof key === "string");
  if (holder !== undefined && kinds[holder] !== undefined) return kinds[holder];
  if (holder !== undefined && Object.values(kinds).includes(holder)) return holder;
  const folder = path.split("/").findLast((part) => kinds[part.replace(/\.\w+$/, "")]);
  return kinds[folder?.replace(/\.\w+$/, "") ?? ""] ?? "item";
}

function inPage(
  path: string,
  text: string,
  at: number,
  name: (value: string) => string,
): Whereabouts {
  const own = ownItem(path, name);
  if (own !== undefined) return { item: own, place: undefined };
  const link = new RegExp(`href="[^"]*?(${lists})/([^"/?#]+?)(?:\\.html)?["/?#]`, "g");
  const before = [...text.slice(0, at).matchAll(link)].filter(([, , id]) => !isList(id));
  const [, list = "", id = ""] = before.at(-1) ?? [];
  const place = kinds[list] && `behind the link to ${kinds[list]} ${name(id)}`;
  return { item: undefined, place };
}

/** The item that a file is about, by its path. */
function ownItem(path: string, name: (value: string) => string): string | undefined {
  const found = new RegExp(`(?:^|/)(${lists})/([^/]+?)(?:/|\\.(?:html|json)$)`).exec(path);
  const [, list = "", id] = found ?? [];
  return isList(id) ? undefined : `${kinds[list]} ${name(id as string)}`;
}

/** Whether a part of a path belongs to a list. */
function isList(id: string | undefined): boolean {
  return id === undefined || /^(?:index|page|by)(?:\b|-)/.test(id);
}

import type { Catalogue } from "../catalogue/catalogue.ts";
import { isObject, plainMembers } from "../lib/objects.ts";
import { printable } from "../lib/secrets.ts";
import type { Ref } from "../store/snapshots.ts";

/** Members of a video's record that may name a picture of it; the API's description has none. */
const memberNames = ["poster", "thumbnail", "preview", "still", "image", "links"];

/** The first image with renditions that a video's record names; undefined where it names none. */
export function posterOf(catalogue: Catalogue, video: Ref) {
  const record: unknown = JSON.parse(catalogue.snapshot.read("videos", video).raw);
  for (const url of isObject(record) ? urlsIn(record) : []) {
    const located = catalogue.locate(printable(url));
    if (located?.type !== "image") continue;
    const entry = catalogue.media("images", located.id);
    if (entry !== undefined && entry.renditions.length > 0) return entry;
  }
  return undefined;
}

function urlsIn(record: Record<string, unknown>): string[] {
  const members = plainMembers(record);
  return memberNames.flatMap((name) => {
    const value = members.get(name);
    if (typeof value === "string") return [value];
    if (!isObject(value)) return [];
    if (name === "links") return urlsIn(value);
    return Object.values(value).filter((url) => typeof url === "string");
  });
}

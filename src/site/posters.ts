import type { Catalogue } from "../catalogue/catalogue.ts";
import { isObject, plainMembers } from "../lib/objects.ts";
import { printable } from "../lib/secrets.ts";
import { sitePaths } from "../routes/site.ts";
import type { MediaEntry } from "../store/media.ts";
import type { Ref } from "../store/snapshots.ts";
import { firstRendered } from "./pictures.ts";

/** Members of a video's record that may name a picture of it; the API's description has none. */
const memberNames = ["poster", "thumbnail", "preview", "still", "image", "links"];

/** The first image with renditions that a video's record names; undefined where it names none. */
export function posterOf(catalogue: Catalogue, video: Ref) {
  const record: unknown = JSON.parse(catalogue.snapshot.read("videos", video).raw);
  const located = isObject(record)
    ? urlsIn(record).map((url) => catalogue.locate(printable(url)))
    : [];
  const ids = located.flatMap((place) => (place?.type === "image" ? [place.id] : []));
  return firstRendered(catalogue, ids);
}

/** Where a frame of a video stands that was made for it. */
export function stillPath({ kind, renditions: [still] }: MediaEntry): string | undefined {
  return kind === "videos" && still ? sitePaths.media(still.blob, "jpg") : undefined;
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

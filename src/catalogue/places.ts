import { printable } from "../lib/secrets.ts";
import { withoutEnd } from "../lib/words.ts";
import type { Scaling } from "../routes/slots.ts";
import type { ApiRequest, Routes } from "../routes/table.ts";
import type { Files } from "./files.ts";

/** Where something of the origin stands in the archive; paths are relative to the publish root. */
export type Located =
  | { type: "page"; path: string }
  | { type: "image"; id: string; scaling: Scaling; path: string }
  /** `asked`: the mirror answers the path of the URL itself with it, too. */
  | { type: "file"; path: string; asked: boolean };

interface PlaceSources {
  routes: Routes;
  files: Files;
  showsImage(id: string): boolean;
  /** Pages and files of the origin, by their URLs. */
  located: Iterable<readonly [url: string, place: Located]>;
  /** URLs of images that may not be shown. */
  unnamed: Iterable<string>;
}

/** Where the URLs of the origin lead in the archive, and which of them may stand in it. */
export function placesOf({ routes, files, showsImage, located, unnamed }: PlaceSources) {
  const places = new Map(Array.from(located, ([url, place]) => [urlKey(url), place]));
  const unnamedKeys = new Set(Array.from(unnamed, urlKey));
  // As the URL is written, and as the service would write it today.
  const keysOf = (url: string): string[] => [urlKey(url), urlKey(routes.todays(url))];

  function placeOfImage(request: ApiRequest | undefined): Located | undefined {
    if (request?.route !== "binary" && request?.route !== "download") return undefined;
    const { id } = request;
    const entry = files.media("images", id);
    if (entry === undefined) return undefined;
    const scaling = request.route === "binary" ? request.scaling : {};
    const path =
      (request.route === "download" ? files.originalPath(entry) : undefined) ??
      files.renditionPath(entry, scaling) ??
      files.originalPath(entry);
    return path === undefined ? undefined : { type: "image", id, scaling, path };
  }

  return {
    /** Where a URL of the origin, with or without signature, leads in the archive. */
    locate(url: string): Located | undefined {
      const known = places.get(urlKey(url)) ?? places.get(urlKey(routes.todays(url)));
      return known ?? placeOfImage(routes.resolve(url));
    },
    /** False for the page, object and files of an image that may not be shown, unless the URL leads into the archive. */
    mayName(url: string): boolean {
      const image = imageOf(routes.resolve(url));
      if (image !== undefined) return showsImage(image);
      const keys = keysOf(url);
      return !keys.some((key) => unnamedKeys.has(key)) || keys.some((key) => places.has(key));
    },
  };
}

/** The image whose object or file a request asks for. */
function imageOf(request: ApiRequest | undefined): string | undefined {
  if (request?.route === "binary" || request?.route === "download") return request.id;
  return request?.route === "single" && request.index === "images" ? request.id : undefined;
}

/** A URL as a key: without signature, fragment and trailing slashes, letters beyond ASCII escaped as browsers do. */
function urlKey(url: string): string {
  const key = withoutEnd(printable(url).replace(/#.*$/s, ""), "/");
  return key.replace(/[^\0-\x7f]+/gu, (letters) =>
    encodeURIComponent(letters.replace(/\p{Surrogate}/gu, "\ufffd")),
  );
}

import { printable } from "../lib/secrets.ts";
import { withoutEnd } from "../lib/words.ts";
import type { Scaling } from "../routes/slots.ts";
import type { ApiRequest, IndexName, Routes } from "../routes/table.ts";
import type { MediaEntry } from "../store/media.ts";
import type { Files } from "./files.ts";

/** Where something of the origin stands in the archive; paths are relative to the publish root. */
export type Located =
  | { type: "page"; path: string }
  | { type: "image"; id: string; scaling: Scaling; path: string }
  /** `name`: to save it under. `asked`: the mirror answers the path of the URL itself with it, too. */
  | { type: "file"; path: string; name: string; asked: boolean; entry: MediaEntry };

interface PlaceSources {
  routes: Routes;
  files: Files;
  shows(kind: IndexName, id: string): boolean;
  /** Pages and files of the origin, by their URLs. */
  located: Iterable<readonly [url: string, place: Located]>;
  /** URLs of items that may not be shown. */
  unnamed: Iterable<string>;
}

/** Where the URLs of the origin lead in the archive, and which of them may stand in it. */
export function placesOf({ routes, files, shows, located, unnamed }: PlaceSources) {
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
    /** False for the page, objects and files of an item that may not be shown, unless the URL leads into the archive. */
    mayName(url: string): boolean {
      const [kind, id = ""] = itemOf(routes.resolve(url));
      if (kind === "images") return shows(kind, id);
      if (kind !== undefined && !shows(kind, id)) return false;
      const keys = keysOf(url);
      return !keys.some((key) => unnamedKeys.has(key)) || keys.some((key) => places.has(key));
    },
  };
}

/** The item whose object, attachments or file a request asks for. */
function itemOf(request: ApiRequest | undefined): [kind?: IndexName, id?: string] {
  if (request?.route === "binary" || request?.route === "download") return ["images", request.id];
  if (request?.route === "attachments") return [request.parent, request.id];
  return request?.route === "single" ? [request.index, request.id] : [];
}

/** Parameters that tell a website where its readers come from, and change nothing of what they see. */
const tracking =
  /^(?:(?:utm|gad)_\w{1,40}|(?:fb|g|d|y|tw|tt)clid|msclkid|gclsrc|[gw]braid|igsh(?:id)?|mc_[ce]id|mkt_tok|_ga|_gl|_hs(?:enc|mi))(?:=|$)/i;

/**
 * What URLs of one page have in common: neither scheme, signature, fragment, tracking nor slashes at the end; letters
 * beyond ASCII are escaped as browsers do.
 */
function urlKey(url: string): string {
  const whole = printable(url)
    .replace(/#.*$/s, "")
    .replace(/^https?:(?=\/\/)/i, "");
  const [, path = "", query = ""] = /^([^?]*)\??(.*)$/s.exec(whole) ?? [];
  const asked = query.split("&").filter((one) => one !== "" && !tracking.test(one));
  const page = withoutEnd(path, "/");
  const key = asked.length === 0 ? page : withoutEnd(`${page}?${asked.join("&")}`, "/");
  // Millions at once would overflow the stack of the expression.
  return key.replace(/[^\0-\x7f]{1,4096}/gu, (letters) =>
    encodeURIComponent(letters.replace(/\p{Surrogate}/gu, "\ufffd")),
  );
}

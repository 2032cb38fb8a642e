import type { Catalogue } from "../catalogue/catalogue.ts";
import { createIdFinder } from "../catalogue/id-finder.ts";
import { nearestSlot } from "../catalogue/renditions.ts";
import { unprovedIds } from "../catalogue/unproved-ids.ts";
import type { Config } from "../config.ts";
import { rewriteJson } from "../lib/jsontext.ts";
import type { Filters } from "../routes/filters.ts";
import { relativeHref } from "../routes/site.ts";
import { isAnswered } from "../routes/slots.ts";
import type { ApiRequest, IndexName, JsonRequest, MediaKind, Parent } from "../routes/table.ts";
import type { Collection } from "../store/records.ts";
import { cached } from "./cached.ts";

export type LinkConfig = Pick<Config, "origin" | "site" | "mirror">;

/** Number of pages that the mirror has of a list; 0 where it has no such list. */
export interface Extents {
  index(name: IndexName, filters: Filters | undefined): number;
  attachments(parent: Parent, id: string, kind: MediaKind): number;
}

/** Rewrites the URLs in raw JSON so that they lead into the archive. */
export interface Linker {
  /** How the file at `from` names another one; both are relative to the publish root. */
  hrefOf(to: string, from: string): string;
  /**
   * The JSON with its URLs as they are written in the file at `from`, which is relative to the publish root, and
   * with the nil UUID in the place of the ids of images that may not be shown.
   */
  rewrite(raw: string, from: string): string;
  /**
   * Where each URL in the JSON leads, and which images that may not be shown it names, as one text: two builds that say the same of
   * an object rewrite it alike, in whatever file it stands.
   */
  destinations(raw: string): string;
}

/** A URL leads into the archive, to nowhere in it, or to a file that must not be named or that nobody has. */
type Destination = { type: "place"; place: string } | { type: "unavailable" } | undefined;

/** What stands in HTML where an unavailable URL stood: it is valid and never requested. */
const nowhere = "about:invalid";

const entity = "&(?:quot|apos|lt|gt|#0*3[49]|#x0*2[27]|#0*6[02]|#x0*3[ce]);";
const urlChar = `(?:(?!${entity}|,(?:https?:)?//)[^\\s"'<>()\\\\])`;
// An absolute URL anywhere in a text, or one from the host's root where an attribute or url() begins.
const urlInText = new RegExp(
  `(?:https?:)?//${urlChar}+|(?<=["'(=]|&quot;|&#0*3[49];)/(?!/)${urlChar}+`,
  "gi",
);
const wholeUrl = /^(?:https?:\/)?\/[^\s"<>\\]+$/i;
const ampersand = /&(?:amp|#0*38|#x0*26);/gi;

/** @param style "file" names real files; "api" keeps the form of the origin's URLs below the mirror root */
export function createLinker(catalogue: Catalogue, config: LinkConfig, extents: Extents): Linker {
  const { routes, snapshot } = catalogue;
  const { origin, site, mirror } = config;
  const basePath = new URL(origin.baseUrl).pathname.replace(/\/+$/, "");
  const unshown = createIdFinder(
    catalogue.visibility.notShown(),
    unprovedIds(snapshot, catalogue.visibility),
  );
  // An image is asked for its five links in a row; its entry is large and need not be kept for longer.
  const entryOf = cached(16, (id: string) => catalogue.media("images", id));
  const isAbsent = (id: string): boolean =>
    (["images", "images.attached"] as const).some((list) => {
      const digest = snapshot.digestOf(list, id);
      return digest !== undefined && catalogue.absent("images", { id, digest });
    });
  const storedIn = cached(4096, (key: string) => {
    const [index = "", id = ""] = key.split("\n");
    const list = `${index}.single` as "articles.single" | "galleries.single";
    return snapshot.find(list, list as Collection, id) !== undefined;
  });

  const destinationOf = cached(2048, (written: string): Destination => {
    const url = written.startsWith("/") ? absolute(written) : written;
    if (url === undefined) return undefined;
    const request = routes.resolve(url);
    if (request?.route === "binary" || request?.route === "download") {
      return ofBinary(request, url);
    }
    const file = request && fileOf(request);
    if (file !== undefined) return place(file, apiPlace(url));
    const located =
      catalogue.locate(url) ?? (url === written ? undefined : catalogue.locate(written));
    if (located !== undefined) {
      const fragment = located.type === "page" ? (/#[\w:.~-]+$/.exec(written)?.[0] ?? "") : "";
      const asked = located.type === "file" && located.asked ? apiPlace(url) : undefined;
      return place(located.path + fragment, asked);
    }
    return catalogue.mayName(url) ? undefined : { type: "unavailable" };
  });

  function ofBinary(
    request: Extract<ApiRequest, { route: "binary" | "download" }>,
    url: string,
  ): Destination {
    const { id } = request;
    if (!catalogue.shows("images", id)) return { type: "unavailable" };
    const entry = entryOf(id);
    if (entry === undefined) return isAbsent(id) ? { type: "unavailable" } : undefined;
    const original = request.route === "download" ? catalogue.originalPath(entry) : undefined;
    if (original !== undefined) return place(original, apiPlace(url));
    const scaling = request.route === "binary" ? request.scaling : {};
    const slot = nearestSlot(entry, scaling, "jpeg");
    if (slot === undefined) {
      // The original may be what browsers show; else there is nothing that a link could lead to.
      const file = catalogue.renditionPath(entry, scaling);
      return file === undefined ? { type: "unavailable" } : place(file, undefined);
    }
    const file = routes.linkedFileOfImage(id, slot, "jpeg");
    // Nothing answers the download of an original that is not published, or a box that no rendition is near.
    const answered =
      request.route === "download"
        ? routes.urlOf({ route: "binary", id, scaling })
        : isAnswered(routes.rules.slots, scaling)
          ? url
          : undefined;
    return place(file, answered === undefined ? undefined : apiPlace(answered));
  }

  function fileOf(request: JsonRequest): string | undefined {
    const exists = (): boolean => {
      switch (request.route) {
        case "index":
          return request.page <= extents.index(request.index, request.filters);
        case "all":
          return extents.index(request.index, undefined) > 0;
        case "attachments":
          return request.page <= extents.attachments(request.parent, request.id, request.kind);
        case "single":
          return request.index === "images"
            ? catalogue.shows("images", request.id)
            : storedIn(`${request.index}\n${request.id}`);
      }
    };
    return exists() ? routes.fileOf(request) : undefined;
  }

  function place(path: string, asApi: string | undefined): Destination {
    return { type: "place", place: mirror.links === "api" && asApi !== undefined ? asApi : path };
  }

  /** A URL of the API as the origin wrote it, but below the mirror root; relative to the publish root. */
  function apiPlace(url: string): string {
    const [, path = ""] = /^(?:https?:)?\/\/[^/?#]*(.*)$/is.exec(url) ?? [];
    const { pathname, search } = new URL(url, origin.baseUrl);
    // Steps up and down are the only way in which a path of the API can begin otherwise.
    const written = path.startsWith(`${basePath}/`) ? path : pathname + search;
    return routes.root + withoutSignature(written.slice(basePath.length));
  }

  function absolute(path: string): string | undefined {
    return URL.canParse(path, origin.baseUrl) ? new URL(path, origin.baseUrl).href : undefined;
  }

  function hrefOf(to: string, from: string): string {
    if (site.url !== null) return `${site.url}/${to}`;
    if (mirror.links === "api") return `/${to}`;
    const href = relativeHref(from, to);
    // A server that answers at another address can tell such a link from other texts.
    return href.startsWith("../") ? href : `./${href}`;
  }

  /** `print` gets each URL and says what to write for it; null stands for a URL that must not be named. */
  function rewriteText(text: string, print: (url: string) => string | null): string | null {
    if (!text.includes("/")) return text;
    if (wholeUrl.test(text)) return print(text);
    return text.replace(urlInText, (match) => {
      const written = withoutEnd(match, ".,:;!?]}");
      const url = written.replace(ampersand, "&");
      const printed = print(url);
      if (printed === url) return match;
      const html = printed !== null && url !== written ? printed.replaceAll("&", "&amp;") : printed;
      return (html ?? nowhere) + match.slice(written.length);
    });
  }

  return {
    hrefOf,
    rewrite(raw, from) {
      const rewritten = rewriteJson(raw, (text) =>
        rewriteText(text, (url) => {
          const destination = destinationOf(url);
          if (destination === undefined) return url;
          return destination.type === "unavailable" ? null : hrefOf(destination.place, from);
        }),
      );
      return unshown.withoutIds(rewritten);
    },
    destinations(raw) {
      const found: string[] = [];
      rewriteJson(raw, (text) => {
        rewriteText(text, (url) => {
          const destination = destinationOf(url);
          found.push(destination?.type === "place" ? destination.place : (destination?.type ?? ""));
          return url;
        });
        return text;
      });
      return [...found, ...unshown.idsIn(raw)].join("\n");
    },
  };
}

/** A path and query without the parameters that only sign it, the others as they are. */
function withoutSignature(url: string): string {
  const [, path = "", query, fragment = ""] = /^([^?#]*)(?:\?([^#]*))?(.*)$/s.exec(url) ?? [];
  if (query === undefined) return path + fragment;
  const kept = query.split("&").filter((part) => !/^(?:expires|signature)(?:=|$)/.test(part));
  return path + (kept.join("&") === "" ? "" : `?${kept.join("&")}`) + fragment;
}

/** The text without these characters at its end. A pattern could take for ever on a text made for that. */
function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] as string)) end--;
  return text.slice(0, end);
}

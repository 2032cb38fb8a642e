import type { BodyLinks, FileKind } from "./model.ts";
import type { LinkForm, OriginOptions } from "./options.ts";
import type { Signer } from "./sign.ts";

/** Every URL the origin writes. */
export interface Links extends BodyLinks {
  /** URL below the base path: `api("/articles")`. */
  api(path: string): string;
  /** The three thumbnails of an image. */
  thumbnails(imageId: string): Record<"square" | "portrait" | "landscape", string>;
  fileView(kind: FileKind, id: string): string;
}

/** Paths of image binaries, below the base path, with `{id}`; they are shown in the document. */
export const imagePaths = { web: "/images/{id}.jpg", download: "/images/{id}/download" };

const shapes = {
  square: "thumb=1",
  portrait: "orientation=p&thumb=1",
  landscape: "orientation=l&thumb=1",
};

/** Links of an origin on `host` ("http://127.0.0.1:80"), binaries signed by the signer. */
export function createLinks(host: string, options: OriginOptions, signer: Signer): Links {
  const signed = (template: string, id: string, shape?: string): string =>
    signer.url(options.basePath + template.replace("{id}", encoded(id)), shape);
  const view = (kind: string, slugOrId: string): string =>
    `${before(host, options.linkForms.view)}/view/${kind}/${encoded(slugOrId)}`;
  return {
    api: (path) => before(host, options.linkForms.api) + options.basePath + path,
    view,
    fileView: view,
    web: (id, scaling) => signed(imagePaths.web, id) + (scaling ? `&${scaling}` : ""),
    thumbnail: (id, shape) => signed(imagePaths.web, id, shapes[shape]),
    thumbnails: (id) => ({
      square: signed(imagePaths.web, id, shapes.square),
      portrait: signed(imagePaths.web, id, shapes.portrait),
      landscape: signed(imagePaths.web, id, shapes.landscape),
    }),
    download: (kind, id) =>
      signed(kind === "images" ? imagePaths.download : options.filePaths[kind], id),
  };
}

/** What stands before the path of a link to a host ("http://127.0.0.1:80"). */
export function before(host: string, form: LinkForm): string {
  if (form === "absolute") return host;
  return form === "host" ? host.replace(/^[a-z]+:/, "") : "";
}

/** A text as a part of a path; half of a character, which none can hold, is replaced. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\uFFFD"));
}

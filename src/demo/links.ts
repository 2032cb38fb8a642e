import type { BodyLinks } from "./model.ts";
import type { LinkForm, OriginOptions } from "./options.ts";
import type { Signer } from "./sign.ts";

/** Paths of image binaries, below the base path, with `{id}`; they are shown in the document. */
export const imagePaths = { web: "/images/{id}.jpg", download: "/images/{id}/download" };

const shapes = {
  square: "thumb=1",
  portrait: "orientation=p&thumb=1",
  landscape: "orientation=l&thumb=1",
};

/** Every URL that the origin writes. */
export type Links = ReturnType<typeof createLinks>;

/** Links of an origin on `host` ("http://127.0.0.1:80"), binaries signed by the signer. */
export function createLinks(host: string, options: OriginOptions, signer: Signer) {
  const signed = (template: string, id: string, shape?: string): string =>
    signer.url(options.basePath + template.replace("{id}", encoded(id)), shape);
  const thumbnail: BodyLinks["thumbnail"] = (id, shape) =>
    signed(imagePaths.web, id, shapes[shape]);
  return {
    /** URL below the base path: `api("/articles")`. */
    api: (path: string) => before(host, options.linkForms.api) + options.basePath + path,
    view: (kind, slugOrId) =>
      `${before(host, options.linkForms.view)}/view/${kind}/${encoded(slugOrId)}`,
    web: (id: string, scaling?: string) =>
      signed(imagePaths.web, id) + (scaling ? `&${scaling}` : ""),
    thumbnail,
    thumbnails: (id: string) => ({
      square: thumbnail(id, "square"),
      portrait: thumbnail(id, "portrait"),
      landscape: thumbnail(id, "landscape"),
    }),
    download: (kind, id) =>
      signed(kind === "images" ? imagePaths.download : options.filePaths[kind], id),
  } satisfies BodyLinks & Record<string, unknown>;
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

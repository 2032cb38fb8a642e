import { createHmac, timingSafeEqual } from "node:crypto";
import type { BodyLinks } from "./model.ts";
import type { LinkForm, OriginOptions } from "./options.ts";

/** Paths of image binaries, below the base path, with `{id}`; they are shown in the document. */
export const imagePaths = { web: "/images/{id}.jpg", download: "/images/{id}/download" };

const shapes = {
  square: "thumb=1",
  portrait: "orientation=p&thumb=1",
  landscape: "orientation=l&thumb=1",
};

/** Signed URLs: an HMAC over the path and `expires`; every other parameter is outside it. */
export type Signer = ReturnType<typeof createSigner>;

/** A signer of URLs on a host ("http://127.0.0.1:80"). */
export function createSigner(host: string, options: OriginOptions) {
  const { secret, linkSeconds, now } = options;
  const sign = (path: string, expires: string): string =>
    createHmac("sha256", secret).update(`${path}\n${expires}`).digest(options.signatures);
  return {
    /** `shape` holds the parameters of a thumbnail, written between expires and signature. */
    url(path: string, shape?: string): string {
      const until = Math.floor(now().getTime() / 1000) + linkSeconds;
      const iso = options.expires === "iso";
      const expires = iso ? new Date(until * 1000).toISOString() : String(until);
      const between = shape ? `${shape}&` : "";
      const signature = encodeURIComponent(sign(path, expires));
      const start = before(host, options.linkForms.binaries) + path;
      return `${start}?expires=${encodeURIComponent(expires)}&${between}signature=${signature}`;
    },
    /** Whether a request may pass: "expired" and "bad" are both answered with 403. */
    check(path: string, query: URLSearchParams): "ok" | "expired" | "bad" {
      const expires = query.get("expires") ?? "";
      const given = Buffer.from(query.get("signature") ?? "");
      const right = Buffer.from(sign(path, expires));
      const until = /^\d+$/.test(expires) ? Number(expires) * 1000 : Date.parse(expires);
      if (Number.isNaN(until) || given.length !== right.length) return "bad";
      if (!timingSafeEqual(given, right)) return "bad";
      return until < now().getTime() ? "expired" : "ok";
    },
  };
}

/** Every URL that the origin writes. */
export type Links = ReturnType<typeof createLinks>;

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

/** What stands before the path of a link to a host. */
function before(host: string, form: LinkForm): string {
  if (form === "absolute") return host;
  return form === "host" ? host.replace(/^[a-z]+:/, "") : "";
}

/** A text as a part of a path; half of a character, which none can hold, is replaced. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\uFFFD"));
}

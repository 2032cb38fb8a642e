import { createHmac, timingSafeEqual } from "node:crypto";
import type { BodyLinks } from "./model.ts";
import type { LinkForm, OriginOptions } from "./options.ts";

/** Below the base path; the document shows them. */
export const imagePaths = { web: "/images/{id}.jpg", download: "/images/{id}/download" };

const shapes = {
  square: "thumb=1",
  portrait: "orientation=p&thumb=1",
  landscape: "orientation=l&thumb=1",
};

export type Links = ReturnType<typeof createLinks>;

/** The URLs of an origin on a host ("http://127.0.0.1:80"). */
export function createLinks(host: string, options: OriginOptions) {
  const { basePath, linkForms, now } = options;
  // Every parameter but `expires` is outside the signature.
  const sign = (path: string, expires: string): string =>
    createHmac("sha256", options.secret).update(`${path}\n${expires}`).digest(options.signatures);
  /** `shape` stands between expires and signature. */
  const signed = (template: string, id: string, shape?: string): string => {
    const path = basePath + template.replace("{id}", encoded(id));
    const until = Math.floor(now().getTime() / 1000) + options.linkSeconds;
    const expires =
      options.expires === "iso" ? new Date(until * 1000).toISOString() : String(until);
    const between = shape ? `${shape}&` : "";
    const signature = encodeURIComponent(sign(path, expires));
    const start = before(host, linkForms.binaries) + path;
    return `${start}?expires=${encodeURIComponent(expires)}&${between}signature=${signature}`;
  };
  const thumbnail: BodyLinks["thumbnail"] = (id, shape) =>
    signed(imagePaths.web, id, shapes[shape]);
  return {
    /** URL below the base path: `api("/articles")`. */
    api: (path: string) => before(host, linkForms.api) + basePath + path,
    view: (kind, slugOrId) => `${before(host, linkForms.view)}/view/${kind}/${encoded(slugOrId)}`,
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
    /** Why a request is answered with 403; undefined if it may pass. */
    refusal(path: string, query: URLSearchParams): string | undefined {
      const expires = query.get("expires") ?? "";
      const given = Buffer.from(query.get("signature") ?? "");
      const right = Buffer.from(sign(path, expires));
      const until = /^\d+$/.test(expires) ? Number(expires) * 1000 : Date.parse(expires);
      const equal = given.length === right.length && timingSafeEqual(given, right);
      if (Number.isNaN(until) || !equal) return "Invalid signature.";
      return until < now().getTime() ? "The link has expired." : undefined;
    },
  } satisfies BodyLinks & Record<string, unknown>;
}

function before(host: string, form: LinkForm): string {
  if (form === "absolute") return host;
  return form === "host" ? host.replace(/^[a-z]+:/, "") : "";
}

/** Half of a surrogate pair, which no path can hold, is replaced. */
const encoded = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\uFFFD"));

import { createHmac, timingSafeEqual } from "node:crypto";
import type { OriginOptions } from "./options.ts";

/** Signed URLs: an HMAC over the path and `expires`; every other parameter is outside it. */
export type Signer = ReturnType<typeof createSigner>;

/** A signer of URLs on a host, given with its scheme. */
export function createSigner(host: string, options: OriginOptions) {
  const { secret, linkSeconds, now } = options;
  const sign = (path: string, expires: string): string =>
    createHmac("sha256", secret).update(`${path}\n${expires}`).digest(options.signatures);
  return {
    /**
     * Signed URL of a path (which starts with "/"), valid for the signer's time from now. `shape`
     * holds the parameters of a thumbnail, written between expires and signature.
     */
    url(path: string, shape?: string): string {
      const until = Math.floor(now().getTime() / 1000) + linkSeconds;
      const iso = options.expires === "iso";
      const expires = iso ? new Date(until * 1000).toISOString() : String(until);
      const between = shape ? `${shape}&` : "";
      const signature = encodeURIComponent(sign(path, expires));
      return `${host}${path}?expires=${encodeURIComponent(expires)}&${between}signature=${signature}`;
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

import { createHmac, timingSafeEqual } from "node:crypto";

/** Signed URLs: an HMAC over the path and `expires`; every other parameter is outside it. */
export interface Signer {
  /**
   * Signed URL of a path (which starts with "/"), valid for the signer's time from now.
   * `shape` holds the parameters of a thumbnail, written between expires and signature.
   */
  url(path: string, shape?: string): string;
  /** Whether a request may pass: "expired" and "bad" are both answered with 403. */
  check(path: string, query: URLSearchParams): "ok" | "expired" | "bad";
}

export interface SignerOptions {
  /** Scheme and host in front of signed paths. */
  host: string;
  secret: string;
  /** Validity in seconds. */
  linkSeconds: number;
  signatures: "hex" | "base64";
  expires: "seconds" | "iso";
  now: () => Date;
}

/** A signer of URLs on one host. */
export function createSigner(options: SignerOptions): Signer {
  const { host, secret, linkSeconds, now } = options;
  const sign = (path: string, expires: string): string =>
    createHmac("sha256", secret).update(`${path}\n${expires}`).digest(options.signatures);
  // The four links of one image differ in their shape only: one signature serves them all.
  let last = { key: "", signature: "" };
  const url = (path: string, shape = ""): string => {
    const until = Math.floor(now().getTime() / 1000) + linkSeconds;
    const iso = options.expires === "iso";
    const expires = iso ? new Date(until * 1000).toISOString() : String(until);
    const key = path + expires;
    if (last.key !== key) last = { key, signature: sign(path, expires) };
    const between = shape === "" ? "" : `${shape}&`;
    const signature = encodeURIComponent(last.signature);
    return `${host}${path}?expires=${encodeURIComponent(expires)}&${between}signature=${signature}`;
  };
  const check = (path: string, query: URLSearchParams): "ok" | "expired" | "bad" => {
    const expires = query.get("expires") ?? "";
    const given = Buffer.from(query.get("signature") ?? "");
    const right = Buffer.from(sign(path, expires));
    const until = /^\d+$/.test(expires) ? Number(expires) * 1000 : Date.parse(expires);
    if (Number.isNaN(until) || given.length !== right.length) return "bad";
    if (!timingSafeEqual(given, right)) return "bad";
    return until < now().getTime() ? "expired" : "ok";
  };
  return { url, check };
}

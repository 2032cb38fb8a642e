import { mayHoldSignatures } from "../lib/secrets.ts";
import { dateOf, type Headers, headerOf } from "./headers.ts";

/** What an origin gives to ask later whether something has changed, in ETag and Last-Modified: RFC 9110, 8.8. */
export interface Validators {
  etag?: string | undefined;
  lastModified?: string | undefined;
}

/** Longer ones are no validators but mistakes, and would be sent back with every request. */
const printableText = /^[\x20-\x7e]{1,1024}$/;
/** In quotes only: a bare `*` would match everything, and a list more than was meant. */
const entityTag = /^(?:W\/)?"[^"]*"$/;

/** Usable validators of an answer; one that `clean` changes holds what must not be stored. */
export function validatorsOf(headers: Headers, clean: (text: string) => string) {
  const [tag = "", modified = "", date = ""] = ["etag", "last-modified", "date"].map((name) =>
    headerOf(headers, name),
  );
  const isTag = printableText.test(tag) && entityTag.test(tag);
  const mayBeKept = clean(tag) === tag && !mayHoldSignatures.test(tag);
  const etag = isTag && mayBeKept ? tag : undefined;
  const changed = printableText.test(modified) ? dateOf(modified) : undefined;
  // A further change in the same second would have the same Last-Modified: RFC 9110, 8.8.2.2.
  const answered = dateOf(date);
  const isSettled = changed !== undefined && (answered === undefined || answered - changed >= 1000);
  const lastModified = isSettled ? modified : undefined;
  return etag || lastModified ? { etag, lastModified } : undefined;
}

/** Headers of a request that is to be answered only where something has changed. */
export function conditionsOf({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag && { "if-none-match": etag }),
    ...(lastModified && { "if-modified-since": lastModified }),
  };
}

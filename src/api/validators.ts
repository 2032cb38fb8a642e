import { z } from "zod";
import { mayHoldSignatures } from "../lib/secrets.ts";
import { dateOf, type Headers, headerOf } from "./headers.ts";

/** Longer ones are no validators but mistakes, and would be sent back with every request. */
const maxLength = 1024;

const printableText = z
  .string()
  .max(maxLength)
  .regex(/^[\x20-\x7e]+$/);
/** In quotes only: a bare `*` would match everything, and a list more than was meant. */
const entityTag = printableText.regex(/^(?:W\/)?"[^"]*"$/);
const httpDate = printableText.refine((text) => dateOf(text) !== undefined);

/** What an origin gives to ask later whether something has changed, in ETag and Last-Modified: RFC 9110, 8.8. */
export const Validators = z.object({
  etag: entityTag.optional(),
  lastModified: httpDate.optional(),
});
export type Validators = z.infer<typeof Validators>;

/** Usable validators of an answer; one that `clean` changes holds what must not be stored. */
export function validatorsOf(headers: Headers, clean: (text: string) => string) {
  const usable = (text: string): boolean => clean(text) === text && !mayHoldSignatures.test(text);
  const etag = entityTag.refine(usable).safeParse(headerOf(headers, "etag")).data;
  const modified = httpDate.safeParse(headerOf(headers, "last-modified")).data;
  const lastModified = modified && isSettled(modified, headers) ? modified : undefined;
  return etag || lastModified ? { etag, lastModified } : undefined;
}

/** Headers of a request that is to be answered only where something has changed. */
export function conditionsOf({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag && { "if-none-match": etag }),
    ...(lastModified && { "if-modified-since": lastModified }),
  };
}

/** Whether no further change can have the same Last-Modified, which counts in seconds: RFC 9110, 8.8.2.2. */
function isSettled(lastModified: string, headers: Headers): boolean {
  const answered = dateOf(headerOf(headers, "date") ?? "");
  return answered === undefined || answered - (dateOf(lastModified) as number) >= 1000;
}

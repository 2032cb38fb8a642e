import { elementsOf, membersOf, rewriteJson } from "../lib/jsontext.ts";
import type { Problem } from "../lib/reporter.ts";
import { withoutSignatures } from "../lib/secrets.ts";
import { type Collection, normalise } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";

type ItemCollection = Exclude<Collection, "attachments">;

/** An answer as it may be kept: compact, without any signed parameter. */
export function keepable(text: string): string {
  return rewriteJson(text, withoutSignatures);
}

/** Text of the `data` member of an answer; undefined where it has none. */
export function dataOf(kept: string): string | undefined {
  if (!kept.startsWith("{")) return undefined;
  const span = membersOf(kept).get("data");
  return span === undefined ? undefined : kept.slice(span.start, span.end);
}

/** The items of one answer. */
export interface Ingested {
  refs: Ref[];
  /** Items that are not of the documented form, each with its JSON path. */
  malformed: Problem[];
}

/**
 * Stores the items of a list's answer and remembers their download links.
 *
 * @param kept the answer through `keepable`
 * @param value the same answer parsed, links still signed
 */
export function ingestList(
  context: CrawlContext,
  collection: ItemCollection,
  source: string,
  kept: string,
  value: unknown,
): Ingested {
  const data = dataOf(kept);
  if (data === undefined || !data.startsWith("[")) {
    return { refs: [], malformed: [{ subject: source, reason: "data: expected an array" }] };
  }
  const signed = (value as { data: unknown[] }).data;
  const refs: Ref[] = [];
  const malformed: Problem[] = [];
  for (const [position, raw] of elementsOf(data).entries()) {
    const item = ingest(context, collection, `${source}: data[${position}]`, raw);
    if ("reason" in item) {
      malformed.push(item);
      continue;
    }
    const link = downloadLink(signed[position]);
    if (link !== undefined) context.links.remember(collection, item.id, link);
    refs.push(item);
  }
  return { refs, malformed };
}

/** Stores one object, or says what is wrong with it. */
export function ingest(
  context: CrawlContext,
  collection: ItemCollection,
  source: string,
  raw: string,
): Ref | Problem {
  const result = normalise(collection, JSON.parse(raw), context.config.origin.bodyField);
  if ("error" in result) return { subject: source, reason: `malformed object: ${result.error}` };
  const digest = context.store.objects.put(collection, result.id, result.normal, raw);
  return { id: result.id, digest };
}

function downloadLink(item: unknown): string | undefined {
  const links = (item as { links?: Record<string, unknown> | null } | null)?.links;
  const link = links?.download ?? links?.web;
  return typeof link === "string" ? link : undefined;
}

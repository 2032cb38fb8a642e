import type { Unsigner } from "../api/signatures.ts";
import { elementsOf, mapMembers, rewriteJson } from "../lib/jsontext.ts";
import { isObject } from "../lib/objects.ts";
import type { Problem } from "../lib/reporter.ts";
import { tokenMark } from "../lib/token.ts";
import { locateMediaLink } from "../store/media-link.ts";
import { type ItemCollection, isMediaKind, normalise } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";

/** An answer as it may be kept: compact, without any signed parameter, members' names included. */
export function keepable(text: string, { concerns, clean }: Unsigner): string {
  return rewriteJson(text, clean, { concerned: concerns, replaceName: clean });
}

/** The text of `data` in an answer through `keepable`, and the envelope around it; undefined where there is none. */
export function openAnswer(kept: string): { data: string; envelope: string } | undefined {
  let data: string | undefined;
  const envelope = mapMembers(kept, (name, text) => {
    if (name !== "data") return text;
    data = text;
    return "[]";
  });
  return data === undefined ? undefined : { data, envelope };
}

/**
 * Stores the items of a list's answer and remembers their download links.
 *
 * @param data text of the answer's rows, through `keepable`
 * @param signed the same parsed, links still signed
 */
export function ingestList(
  context: CrawlContext,
  collection: ItemCollection,
  source: string,
  data: string,
  signed: readonly unknown[],
) {
  const refs: Ref[] = [];
  /** Items without a key, each with its JSON path. */
  const malformed: Problem[] = [];
  /** What could not be read of an item, and its id. */
  const unread: [reason: string, id: string][] = [];
  for (const [position, raw] of elementsOf(data).entries()) {
    const object = signed[position];
    const subject = `${source}: data[${position}]`;
    const item = ingest(context, collection, subject, raw, object);
    if ("reason" in item) {
      malformed.push({ ...item, item: describeItem(object, context.unsigner) });
      continue;
    }
    if (item.unread !== undefined) unread.push([item.unread, item.id]);
    const link = isMediaKind(collection)
      ? locateMediaLink(collection, object, context.config.origin).url
      : null;
    if (link !== null) {
      context.links.remember(collection, item.id, link);
      context.checkHost(link);
    }
    refs.push({ id: item.id, digest: item.digest });
  }
  return { refs, malformed, unread };
}

/** An item by name: `id 7f3c, "Title"`; undefined where it has neither. */
function describeItem(object: unknown, { clean }: Unsigner): string | undefined {
  if (!isObject(object)) return undefined;
  const lineOf = (value: unknown): string => {
    const line = typeof value === "string" ? clean(value).replace(/\s+/g, " ").trim() : "";
    return line.length > maxNameLength ? `${line.slice(0, maxNameLength - 1)}…` : line;
  };
  const id = lineOf(typeof object.id === "number" ? String(object.id) : object.id);
  const [slug, title] = [lineOf(object.slug), lineOf(object.title)];
  const key = id === "" ? slug && `slug ${slug}` : `id ${id}`;
  return [key, title && JSON.stringify(title)].filter(Boolean).join(", ") || undefined;
}

const maxNameLength = 80;

/**
 * Stores one object, or says what is wrong with it; `unread` describes members that count as empty.
 *
 * @param raw its text, through `keepable`
 * @param object the same parsed, links still signed
 */
export function ingest(
  context: CrawlContext,
  collection: ItemCollection,
  source: string,
  raw: string,
  object: unknown,
): (Ref & { unread?: string | undefined }) | Problem {
  const { origin } = context.config;
  const result = normalise(collection, object, origin.bodyField, origin);
  if ("error" in result) return { subject: source, reason: `malformed object: ${result.error}` };
  const secret = secretIn(result.id, context.unsigner);
  if (secret !== undefined) {
    const hint =
      "an id cannot be changed and is published with its item; give the item another id at the origin";
    return { subject: source, reason: `its id contains ${secret}`, hint };
  }
  const { id, normal, unread } = unsigned(result, context.unsigner.clean);
  const digest = context.store.objects.put(collection, id, normal, raw);
  return { id, digest, unread };
}

/** What an id holds that must not be stored and cannot be cut out of it; the token was cut out of the answer. */
function secretIn(id: string, { clean }: Unsigner): string | undefined {
  if (id.includes(tokenMark)) return "the access token";
  return clean(id) === id ? undefined : "a signed parameter";
}

/**
 * Cuts the signed parameters out of every string of a normalised form and out of its members' names. That comes to
 * the same as normalising `raw`, and is cheaper than parsing it a second time.
 */
function unsigned<T>(value: T, clean: (text: string) => string): T {
  if (typeof value === "string") return clean(value) as T;
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  const names = Object.keys(members);
  for (const name of names) members[name] = unsigned(members[name], clean);
  if (names.every((name) => clean(name) === name)) return value;
  return Object.fromEntries(names.map((name) => [clean(name), members[name]])) as T;
}

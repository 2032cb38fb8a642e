import { elementsOf, mapMembers, membersOf, rewriteJson } from "../lib/jsontext.ts";

type Parameter = readonly [name: string, value: string];

/** Which page an envelope is for. */
export interface PageTarget {
  page: number;
  perPage: number;
  /** Items of all pages. */
  total: number;
  /** Items on this page. */
  count: number;
}

/** Raw envelope of an answer, with `data` emptied and without white space; `{"data":[]}` where it is no object. */
export function envelopeOf(answerText: string): string {
  return rewriteJson(withData(answerText, []), (value) => value);
}

/** withData('{"data":[],"meta":{}}', ['{"id":1}']) → '{"data":[{"id":1}],"meta":{}}' */
export function withData(envelope: string, items: Iterable<string>): string {
  const data = `[${[...items].join(",")}]`;
  if (!isObjectText(envelope)) return `{"data":${data}}`;
  const members = membersOf(envelope);
  if (members.has("data")) {
    return mapMembers(envelope, (name, text) => (name === "data" ? data : text));
  }
  const rest = envelope.slice(envelope.indexOf("{") + 1);
  return `{"data":${data}${members.size === 0 ? "" : ","}${rest}`;
}

/**
 * The envelope of another page of a list, made from that of page 1 by the rules of the "Paginated index
 * envelope" in the API document; `meta.links` as Laravel's paginator writes them, with "..." where the model
 * has many pages. Everything else stays as the model has it: types (numbers or digits in a string), the order of
 * members, unknown members, labels, other parameters of URLs, and what has another form than documented.
 */
export function envelopeForPage(model: string, target: PageTarget): string {
  const pager = pagerOf(model, target);
  return editMembers(model, {
    links: (links) => pagedLinks(links, pager),
    meta: (meta) => pagedMeta(meta, pager, target),
  });
}

/** The envelope of a page behind the last one, from that of another such page: only its number differs. */
export function envelopeBehind(model: string, page: number): string {
  const last = Number(plain(memberText(memberText(model, "meta"), "last_page")));
  const current = (text: string) => (Number(plain(text)) > last ? numberText(page, text) : text);
  return editMembers(model, { meta: (meta) => editMembers(meta, { current_page: current }) });
}

/**
 * The envelope of a list's first page as the model of another list, such as that of the same index with filters.
 *
 * @param change what becomes of each URL; `meta.path` stands for the index itself and has no parameters
 */
export function envelopeElsewhere(
  model: string,
  change: (url: string, of: "page" | "path") => string,
): string {
  const changed = (of: "page" | "path") => (text: string) => {
    const url = plain(text);
    if (typeof url !== "string") return text;
    const other = change(url, of);
    return other === url ? text : JSON.stringify(other);
  };
  const changedItem = (item: string): string => editMembers(item, { url: changed("page") });
  const changedList = (list: string): string =>
    isArrayText(list) ? `[${elementsOf(list).map(changedItem).join(",")}]` : list;
  return editMembers(model, {
    links: (links) => mapMembers(links, (_, url) => changed("page")(url)),
    meta: (meta) => editMembers(meta, { path: changed("path"), links: changedList }),
  });
}

/**
 * A URL with the parameters of filters, before its page or behind it.
 *
 * withFilters("/articles?page=1", [["tags", "a,b"]], { page: "last", comma: "%2C" })
 *   → "/articles?tags=a%2Cb&page=1"
 */
export function withFilters(
  url: string,
  parameters: readonly Parameter[],
  // As Laravel's paginator writes them, whose envelope it is.
  { page, comma }: { page: "first" | "last"; comma: "," | "%2C" } = { page: "last", comma: "%2C" },
): string {
  if (parameters.length === 0) return url;
  const [path = "", query = ""] = url.split("?", 2);
  const written = query.split("&").filter((part) => part !== "");
  const added = parameters.map(
    ([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2C", comma)}`,
  );
  const paged = page === "last" ? written.findIndex((part) => pageName.test(part)) : -1;
  const before = paged === -1 ? written.length : paged;
  const all = [...written.slice(0, before), ...added, ...written.slice(before)];
  return `${path}?${all.join("&")}`;
}

/** The URL of a page. */
export function withPage(url: string, page: number): string {
  return `${url}${url.includes("?") ? "&" : "?"}page=${page}`;
}

type Pager = ReturnType<typeof pagerOf>;

function pagerOf(model: string, { page, perPage, total }: PageTarget) {
  const last = perPage > 0 ? Math.max(1, Math.ceil(total / perPage)) : 1;
  const urlOf = urlWriter(model);
  const prev = memberText(memberText(model, "links"), "prev");
  // The model is a first page: what it says of the page before is how this service writes "none".
  const none = prev === "" || typeof plain(prev) === "object" ? "null" : prev;
  const slashes = model.includes("\\/");
  return {
    page,
    last,
    prev: page > 1 ? page - 1 : undefined,
    next: page < last ? page + 1 : undefined,
    /** JSON text of a page's URL, or of none: as the model writes it. */
    urlText(number: number | undefined, written: string): string {
      if (number === undefined) return typeof plain(written) === "string" ? none : "null";
      const url = urlOf(number);
      if (url === undefined || url === plain(written)) return written;
      const text = JSON.stringify(url);
      return slashes ? text.replaceAll("/", "\\/") : text;
    },
  };
}

const pageParameter = /([?&]page(?:(?:%5B|\[)number(?:%5D|\]))?=)\d+/i;
const pageName = /^page(?:(?:%5B|\[)number(?:%5D|\]))?=/i;

/** How the model writes the URL of a page: one of its own with the page replaced; undefined where it has none. */
function urlWriter(model: string): (page: number) => string | undefined {
  const links = memberText(model, "links");
  const meta = memberText(model, "meta");
  const first = stringMember(links, "first");
  const listed = listOf(memberText(meta, "links")).map((item) => stringMember(item, "url"));
  const pattern = [stringMember(links, "next"), stringMember(links, "last"), first, ...listed].find(
    (url) => url !== undefined && pageParameter.test(url),
  );
  const plainUrl = first ?? stringMember(meta, "path");
  return (page) => {
    if (page === 1 && first !== undefined) return first;
    if (pattern !== undefined) return pattern.replace(pageParameter, (_, name) => `${name}${page}`);
    return plainUrl && withPage(plainUrl, page);
  };
}

function pagedLinks(links: string, { last, prev, next, urlText }: Pager): string {
  // A paginator that does not count has null here on every page.
  const known = (page: number) => (text: string) =>
    plain(text) === null ? text : urlText(page, text);
  return editMembers(links, {
    first: known(1),
    last: known(last),
    prev: (text) => urlText(prev, text),
    next: (text) => urlText(next, text),
  });
}

function pagedMeta(meta: string, pager: Pager, target: PageTarget): string {
  const { page, perPage, total, count } = target;
  const from = (page - 1) * perPage + 1;
  const written = (value: number | null) => (text: string) => numberText(value, text);
  return editMembers(meta, {
    current_page: written(page),
    from: written(count > 0 ? from : null),
    to: written(count > 0 ? from + count - 1 : null),
    last_page: written(pager.last),
    per_page: written(perPage),
    total: written(total),
    links: (list) => pagedList(list, pager),
  });
}

/** `meta.links`: previous, the numbers, next. */
function pagedList(list: string, pager: Pager): string {
  const items = listOf(list);
  const numbered = items.filter((item) => pageLabel(item) !== undefined);
  // Without a number to take as a model, the list has another form than documented.
  const model = numbered.find((item) => plain(memberText(item, "active")) === false) ?? numbered[0];
  if (model === undefined) return list;
  const { page, last, prev, next } = pager;
  const gap =
    items.find(isGap) ??
    editMembers(leadingTo(undefined, model, pager), {
      url: () => "null",
      label: () => '"..."',
      active: () => "false",
    });
  const numberItem = (number: number): string =>
    editMembers(leadingTo(number, model, pager), {
      label: (text) => (typeof plain(text) === "number" ? String(number) : `"${number}"`),
      active: () => String(number === page),
    });
  const written = windowOf(page, last, sidesOf(items)).map((number) =>
    number === null ? gap : numberItem(number),
  );
  const [before = ""] = items;
  if (pageLabel(before) === undefined) written.unshift(leadingTo(prev, before, pager));
  const after = items.at(-1) ?? "";
  if (pageLabel(after) === undefined && !isGap(after)) written.push(leadingTo(next, after, pager));
  return `[${written.join(",")}]`;
}

/** An item of `meta.links` with another page, or none, as its target. */
function leadingTo(page: number | undefined, item: string, { urlText }: Pager): string {
  return editMembers(item, {
    url: (text) => urlText(page, text),
    page: (text) => numberText(page ?? null, text),
  });
}

/**
 * Page numbers that a pager shows, null standing for "...". Laravel's `UrlWindow`: all pages of a short list,
 * else the first two, `sides` on either side of the current one, and the last two.
 */
function windowOf(page: number, last: number, sides: number): (number | null)[] {
  if (last < sides * 2 + 8) return range(1, last);
  const edge = sides + 4;
  if (page <= edge) return [...range(1, edge + sides), null, last - 1, last];
  if (page > last - edge) return [1, 2, null, ...range(last - edge - sides + 1, last)];
  return [1, 2, null, ...range(page - sides, page + sides), null, last - 1, last];
}

/** Pages on either side of the current one, as the model of page 1 shows; 3 where it has no gap. */
function sidesOf(items: string[]): number {
  const pages = items.filter((item) => pageLabel(item) !== undefined || isGap(item));
  const gap = pages.findIndex(isGap);
  if (gap === -1) return pages.length >= 14 ? Number.POSITIVE_INFINITY : 3;
  const sides = (gap - 4) / 2;
  return Number.isInteger(sides) && sides >= 0 ? sides : 3;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}

function pageLabel(item: string): number | undefined {
  const label = plain(memberText(item, "label"));
  return /^\d{1,9}$/.test(String(label)) ? Number(label) : undefined;
}

function isGap(item: string): boolean {
  const label = plain(memberText(item, "label"));
  return label === "..." || label === "…";
}

/** A number as the model writes it; anything but a number, digits or null stays as it is. */
function numberText(value: number | null, written: string): string {
  const old = plain(written);
  if (typeof old === "string" && /^\d+$/.test(old)) {
    return value === null ? "null" : Number(old) === value ? written : `"${value}"`;
  }
  if (typeof old === "number") return old === value ? written : String(value);
  return old === null ? String(value) : written;
}

/** The same object with the values of some members, where it has them, replaced. */
function editMembers(text: string, edits: Record<string, (text: string) => string>): string {
  return mapMembers(text, (name, value) =>
    Object.hasOwn(edits, name) ? (edits[name]?.(value) ?? value) : value,
  );
}

/** Text of a member's value; "" where there is none. */
function memberText(text: string, name: string): string {
  return membersOf(text).get(name) ?? "";
}

function stringMember(text: string, name: string): string | undefined {
  const value = plain(memberText(text, name));
  return typeof value === "string" && value !== "" ? value : undefined;
}

function listOf(text: string): string[] {
  return isArrayText(text) ? elementsOf(text) : [];
}

function plain(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}

function isObjectText(text: string): boolean {
  return text.trimStart().startsWith("{");
}

function isArrayText(text: string): boolean {
  return text.trimStart().startsWith("[");
}

import { elementsOf, membersOf, rewriteJson } from "../lib/jsontext.ts";

type Parameter = readonly [name: string, value: string];

/** Which page an envelope is for. */
export interface PageTarget {
  page: number;
  perPage: number;
  /** Items of all pages. */
  total: number;
  /** Items on this page. */
  count: number;
  /** URL of the index without a page; used where the model names no URL to make others from. */
  baseUrl?: string;
}

/**
 * Raw envelope text with `data` emptied, without white space, from the text of a whole answer.
 * `{"data":[]}` where the answer is no object.
 *
 * envelopeOf('{"data":[{"id":"1"}],"meta":{"total":1}}') → '{"data":[],"meta":{"total":1}}'
 */
export function envelopeOf(answerText: string): string {
  return rewriteJson(withData(answerText, []), (value) => value);
}

/**
 * An envelope around the raw texts of its items.
 *
 * withData('{"data":[],"meta":{}}', ['{"id":1}']) → '{"data":[{"id":1}],"meta":{}}'
 */
export function withData(envelope: string, items: Iterable<string>): string {
  const data = `[${[...items].join(",")}]`;
  if (!isObjectText(envelope)) return `{"data":${data}}`;
  const members = membersOf(envelope);
  const span = members.get("data");
  if (span !== undefined) return envelope.slice(0, span.start) + data + envelope.slice(span.end);
  const rest = envelope.slice(envelope.indexOf("{") + 1);
  return `{"data":${data}${members.size === 0 ? "" : ","}${rest}`;
}

/**
 * The envelope of another page of a list, made from that of page 1 by the rules of the "Paginated index
 * envelope" in the API document; `meta.links` as Laravel's paginator writes them, with "..." where the model
 * has many pages. Types as written (numbers or digits in a string), the order of members, unknown members,
 * labels and other parameters of URLs stay as they are in the model. Never throws: what the model lacks stays
 * away, what has another form than documented stays as it is.
 */
export function envelopeForPage(model: string, target: PageTarget): string {
  if (!isObjectText(model)) return model;
  const pager = pagerOf(model, target);
  return mapMembers(model, (name, text) => {
    if (name === "links" && isObjectText(text)) return pagedLinks(text, pager);
    if (name === "meta" && isObjectText(text)) return pagedMeta(text, pager, target);
    return text;
  });
}

/** The envelope of one page behind the last, as that of another one: only the number of the page differs. */
export function envelopeBehind(model: string, page: number): string {
  return mapMembers(model, (name, meta) => {
    if (name !== "meta") return meta;
    const last = Number(plain(memberText(meta, "last_page")));
    return mapMembers(meta, (member, text) =>
      member === "current_page" && Number(plain(text)) > last ? numberText(page, text) : text,
    );
  });
}

/**
 * The envelope of a list's first page as the model of another list's: that of the same index with filters, whose
 * links to pages carry further parameters, or that of an endpoint elsewhere.
 *
 * @param change what becomes of each URL; `meta.path` stands for the index itself and has no parameters
 */
export function envelopeElsewhere(
  model: string,
  change: (url: string, of: "page" | "path") => string,
): string {
  const changed = (text: string, of: "page" | "path"): string => {
    const url = plain(text);
    if (typeof url !== "string") return text;
    const other = change(url, of);
    return other === url ? text : JSON.stringify(other);
  };
  return mapMembers(model, (name, text) => {
    if (name === "links") return mapMembers(text, (_, url) => changed(url, "page"));
    if (name !== "meta") return text;
    return mapMembers(text, (member, value) => {
      if (member === "path") return changed(value, "path");
      if (member !== "links" || !isArrayText(value)) return value;
      const items = listOf(value).map((item) =>
        mapMembers(item, (key, url) => (key === "url" ? changed(url, "page") : url)),
      );
      return `[${items.join(",")}]`;
    });
  });
}

/** How the parameters of filters stand in a URL: as Laravel's paginator writes them, whose envelope it is. */
const usual = { page: "last", comma: "%2C" } as const;

/**
 * The same URL with the parameters of filters, before its page or behind it.
 *
 * withFilters("/articles?page=1", [["tags", "a,b"]], { page: "last", comma: "%2C" })
 *   → "/articles?tags=a%2Cb&page=1"
 */
export function withFilters(
  url: string,
  parameters: readonly Parameter[],
  { page, comma }: { page: "first" | "last"; comma: "," | "%2C" } = usual,
): string {
  if (parameters.length === 0) return url;
  const [path = "", query = ""] = url.split("?", 2);
  const written = query.split("&").filter((part) => part !== "");
  const added = parameters.map(
    ([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2C", comma)}`,
  );
  const paged = page === "last" ? written.findIndex((part) => pageName.test(part)) : -1;
  written.splice(paged === -1 ? written.length : paged, 0, ...added);
  return `${path}?${written.join("&")}`;
}

/** A URL without a page, as that of one of its pages. */
export function withPage(url: string, page: number): string {
  return `${url}${url.includes("?") ? "&" : "?"}page=${page}`;
}

/** What every link of one page's envelope is made from. */
interface Pager {
  page: number;
  last: number;
  /** URL of a page; undefined where the model shows no way to write one. */
  urlOf(page: number): string | undefined;
  /** JSON text of a URL, or of none: as the model writes it. */
  urlText(page: number | undefined, written: string): string;
}

function pagerOf(model: string, { page, perPage, total, baseUrl }: PageTarget): Pager {
  const last = perPage > 0 ? Math.max(1, Math.ceil(total / perPage)) : 1;
  const urlOf = urlWriter(model, baseUrl);
  const prev = memberText(memberText(model, "links"), "prev");
  // The model is a first page: what it says of the page before is how this service writes "none".
  const none = prev === undefined || typeof plain(prev) === "object" ? "null" : prev;
  const slashes = model.includes("\\/");
  return {
    page,
    last,
    urlOf,
    urlText(number, written) {
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

/** How the model writes the URL of a page: one of its own with the page replaced. */
function urlWriter(
  model: string,
  baseUrl: string | undefined,
): (page: number) => string | undefined {
  const links = memberText(model, "links");
  const meta = memberText(model, "meta");
  const link = (name: string): string | undefined => stringMember(links, name);
  const listed = listOf(memberText(meta, "links")).map((item) => stringMember(item, "url"));
  const first = link("first");
  const pattern = [link("next"), link("last"), first, ...listed].find(
    (url) => url !== undefined && pageParameter.test(url),
  );
  const plainUrl = first ?? stringMember(meta, "path") ?? baseUrl;
  return (page) => {
    if (page === 1 && first !== undefined) return first;
    if (pattern !== undefined) return pattern.replace(pageParameter, (_, name) => `${name}${page}`);
    if (plainUrl === undefined) return undefined;
    return withPage(plainUrl, page);
  };
}

function pagedLinks(links: string, { page, last, urlText }: Pager): string {
  return mapMembers(links, (name, text) => {
    // A paginator that does not count has null here on every page.
    if (name === "first" || name === "last") {
      return plain(text) === null ? text : urlText(name === "first" ? 1 : last, text);
    }
    if (name === "prev") return urlText(page > 1 ? page - 1 : undefined, text);
    if (name === "next") return urlText(page < last ? page + 1 : undefined, text);
    return text;
  });
}

function pagedMeta(meta: string, pager: Pager, target: PageTarget): string {
  const { page, perPage, total, count } = target;
  const from = (page - 1) * perPage + 1;
  const numbers: Record<string, number | null> = {
    current_page: page,
    from: count > 0 ? from : null,
    to: count > 0 ? from + count - 1 : null,
    last_page: pager.last,
    per_page: perPage,
    total,
  };
  return mapMembers(meta, (name, text) => {
    if (name === "links" && isArrayText(text)) return pagedList(text, pager);
    return Object.hasOwn(numbers, name) ? numberText(numbers[name] ?? null, text) : text;
  });
}

/** `meta.links`: previous, the numbers, next. */
function pagedList(list: string, pager: Pager): string {
  const items = listOf(list);
  const numbered = items.filter((item) => pageLabel(item) !== undefined);
  // Without a number to take as a model, the list has another form than documented.
  const model = numbered.find((item) => plain(memberText(item, "active")) === false) ?? numbered[0];
  if (model === undefined) return list;
  const gap = items.find((item) => isGap(item)) ?? model;
  const before = pageLabel(items[0] ?? "") === undefined ? items[0] : undefined;
  const end = items.at(-1) ?? "";
  const after = pageLabel(end) === undefined && !isGap(end) ? end : undefined;
  const { page, last } = pager;
  const written: string[] = [];
  if (before !== undefined) written.push(step(before, page > 1 ? page - 1 : undefined, pager));
  for (const number of windowOf(page, last, sidesOf(items))) {
    written.push(
      number === null
        ? pageItem(gap, undefined, "...", false, pager)
        : pageItem(model, number, String(number), number === page, pager),
    );
  }
  if (after !== undefined) written.push(step(after, page < last ? page + 1 : undefined, pager));
  return `[${written.join(",")}]`;
}

function step(item: string, page: number | undefined, pager: Pager): string {
  return mapMembers(item, (name, text) => {
    if (name === "url") return pager.urlText(page, text);
    return name === "page" ? numberText(page ?? null, text) : text;
  });
}

function pageItem(
  item: string,
  page: number | undefined,
  label: string,
  active: boolean,
  pager: Pager,
): string {
  return mapMembers(item, (name, text) => {
    if (name === "url") return page === undefined ? "null" : pager.urlText(page, text);
    if (name === "active") return String(active);
    if (name === "page") return numberText(page ?? null, text);
    if (name !== "label") return text;
    return typeof plain(text) === "number" && page !== undefined ? label : JSON.stringify(label);
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
  const gap = pages.findIndex((item) => isGap(item));
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

/** The same object with each member's value replaced; the text around the values stays. */
function mapMembers(text: string, map: (name: string, text: string) => string): string {
  if (!isObjectText(text)) return text;
  const members = [...membersOf(text)].sort(([, a], [, b]) => a.start - b.start);
  let out = "";
  let copied = 0;
  for (const [name, { start, end }] of members) {
    out += text.slice(copied, start) + map(name, text.slice(start, end));
    copied = end;
  }
  return out + text.slice(copied);
}

function memberText(text: string | undefined, name: string): string | undefined {
  if (text === undefined || !isObjectText(text)) return undefined;
  const span = membersOf(text).get(name);
  return span && text.slice(span.start, span.end);
}

function stringMember(text: string | undefined, name: string): string | undefined {
  const value = plain(memberText(text, name));
  return typeof value === "string" && value !== "" ? value : undefined;
}

function listOf(text: string | undefined): string[] {
  return text !== undefined && isArrayText(text) ? elementsOf(text) : [];
}

function plain(text: string | undefined): unknown {
  return text === undefined || text === "" ? undefined : (JSON.parse(text) as unknown);
}

function isObjectText(text: string): boolean {
  return text.trimStart().startsWith("{");
}

function isArrayText(text: string): boolean {
  return text.trimStart().startsWith("[");
}

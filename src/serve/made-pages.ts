import {
  envelopeBehind,
  envelopeElsewhere,
  envelopeForPage,
  envelopeOf,
  withData,
  withFilters,
  withPage,
} from "../api/envelope.ts";
import { elementsOf, membersOf } from "../lib/jsontext.ts";
import { descriptionFile, type MirrorDescription, positionsOf } from "../routes/description.ts";
import { isFiltered, parametersOf } from "../routes/filters.ts";
import type { Behind } from "../routes/learned.ts";
import type { JsonRequest } from "../routes/table.ts";
import type { ApiAsked } from "./asked.ts";
import { absoluteLinks } from "./links.ts";

/** A request for a page of a list. */
type PageRequest = Extract<JsonRequest, { route: "index" | "attachments" }>;
type IndexRequest = Extract<JsonRequest, { route: "index" }>;

/** A page of filters without files, or behind the last one of a list: its text, or the status of an error. */
export async function madePage(asked: ApiAsked, request: PageRequest): Promise<string | number> {
  const behind = behindOf(asked.build.description, request);
  const emptyPages = behind.status === 200;
  const error = request.page === 1 || emptyPages ? 404 : behind.status;
  if (request.route === "index" && isFiltered(request.filters)) {
    return (await filteredPage(asked, request, emptyPages)) ?? error;
  }
  const first = await answerFor(asked, { ...request, page: 1 });
  if (first === undefined || request.page === 1) return 404;
  return emptyPages ? pageBehind(asked, request, behind, first) : error;
}

/**
 * How the origin answers behind the last page of a list. An attachment list answers as the index of its kind does;
 * where the origin has no such index, as that of its parent.
 */
function behindOf({ behind = {} }: MirrorDescription, request: PageRequest): Behind {
  const unknown = { status: 404 };
  if (request.route === "index") return behind[request.index] ?? unknown;
  return behind[request.kind] ?? behind[request.parent] ?? unknown;
}

/** The JSON of a request's file, its links absolute. */
async function answerFor({ build, options, origin }: ApiAsked, request: PageRequest) {
  const path = build.table.fileOf(request) ?? "";
  const file = await options.files.open(path);
  return file && absoluteLinks(await file.text(), path, origin, build.description);
}

/** URL of a list's first page, as the client sees it. */
function urlOf({ build, options, origin }: ApiAsked, request: PageRequest): string {
  return `${origin}/${options.root}${build.table.pathOf({ ...request, page: 1 })}`;
}

/** @param first the list's first page */
function pageBehind(asked: ApiAsked, request: PageRequest, { envelope }: Behind, first: string) {
  const { description, table } = asked.build;
  if (envelope !== undefined && request.route === "index") {
    const path = `${table.root}/${descriptionFile}`;
    return envelopeBehind(absoluteLinks(envelope, path, asked.origin, description), request.page);
  }
  const { meta } = JSON.parse(first) as { meta?: Record<string, unknown> | null };
  const [perPage, total] = [Number(meta?.per_page ?? 0), Number(meta?.total ?? 0)];
  const url = urlOf(asked, request);
  const model = envelopeElsewhere(envelopeOf(first), (written, of) => {
    // Only the API's own links can be made those of another page.
    if (description.links === "api") return written;
    return of === "path" ? url : withPage(url, 1);
  });
  return envelopeForPage(model, { page: request.page, perPage, total, count: 0 });
}

/** A page of what filters leave, put together from the pages of the whole index; undefined where there is none. */
async function filteredPage(asked: ApiAsked, request: IndexRequest, emptyPages: boolean) {
  const { index, page, filters = {} } = request;
  const { build } = asked;
  const { description } = build;
  const pageOf = (number: number) => answerFor(asked, { route: "index", index, page: number });
  const itemsOf = async (number: number) =>
    elementsOf(membersOf((await pageOf(number)) ?? "{}").get("data") ?? "[]");
  const found = await build.filterIndex(index as "articles" | "galleries");
  const first = await pageOf(1);
  if (found === undefined || first === undefined) return undefined;
  const positions = positionsOf(found, filters, description.tagMatch);
  // An index without pages is one page of any length.
  const perPage = found.perPage > 0 ? found.perPage : Number.POSITIVE_INFINITY;
  const start = page === 1 ? 0 : (page - 1) * perPage;
  const chosen = positions.slice(start, start + perPage);
  if (page > 1 && chosen.length === 0 && !emptyPages) return undefined;

  const pages = new Map<number, string[]>();
  const items: string[] = [];
  for (const position of chosen) {
    const number = Math.floor(position / perPage) + 1;
    const ofPage = pages.get(number) ?? (await itemsOf(number));
    pages.set(number, ofPage);
    const item = ofPage[position % perPage];
    if (item !== undefined) items.push(item);
  }
  const indexUrl = urlOf(asked, { route: "index", index, page: 1 });
  const model = envelopeElsewhere(envelopeOf(first), (written, of) => {
    if (of === "path") return indexUrl;
    // Only the API's own links show how the origin writes them.
    const url = description.links === "api" ? written : withPage(indexUrl, 1);
    return withFilters(url, parametersOf(filters), description.filterLinks);
  });
  const target = { page, perPage: found.perPage, total: positions.length, count: items.length };
  return withData(envelopeForPage(model, target), items);
}

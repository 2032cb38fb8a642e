import {
  envelopeBehind,
  envelopeElsewhere,
  envelopeForPage,
  envelopeOf,
  withPage,
} from "../api/envelope.ts";
import { descriptionFile, type MirrorDescription } from "../routes/description.ts";
import { isFiltered } from "../routes/filters.ts";
import type { Behind } from "../routes/learned.ts";
import type { JsonRequest } from "../routes/table.ts";
import { type FilterSources, filteredPage } from "./filtered.ts";

/** A request for a page of a list. */
export type PageRequest = Extract<JsonRequest, { route: "index" | "attachments" }>;

/**
 * A page that has no file: of filters without files, or behind the last one of a list, as the origin answers there.
 * Returns its text, or the status of an error.
 */
export async function madePage(
  request: PageRequest,
  sources: FilterSources,
): Promise<string | number> {
  const behind = behindOf(sources.description, request);
  const emptyPages = behind.status === 200;
  const error = request.page === 1 || emptyPages ? 404 : behind.status;
  if (request.route === "index" && isFiltered(request.filters)) {
    const { index, page, filters } = request;
    if (index !== "articles" && index !== "galleries") return 404;
    return (await filteredPage({ index, page, filters, emptyPages }, sources)) ?? error;
  }
  const first = await sources.read(sources.table.fileOf({ ...request, page: 1 }) ?? "");
  if (first === undefined || request.page === 1) return 404;
  return emptyPages ? pageBehind(request, behind, first, sources) : error;
}

/**
 * How the origin answers behind the last page of a list. An attachment list answers as the index of its kind does;
 * where the origin has no such index, as that of its parent.
 */
function behindOf(
  { behind = {} }: Pick<MirrorDescription, "behind">,
  request: PageRequest,
): Behind {
  const unknown = { status: 404 };
  if (request.route === "index") return behind[request.index] ?? unknown;
  return behind[request.kind] ?? behind[request.parent] ?? unknown;
}

/** @param first the list's first page */
function pageBehind(
  request: PageRequest,
  { envelope }: Behind,
  first: string,
  { table, description, baseUrl, absolute }: FilterSources,
): string {
  if (envelope !== undefined && request.route === "index") {
    return envelopeBehind(absolute(envelope, `${table.root}/${descriptionFile}`), request.page);
  }
  const { meta } = JSON.parse(first) as { meta?: Record<string, unknown> | null };
  const [perPage, total] = [Number(meta?.per_page ?? 0), Number(meta?.total ?? 0)];
  const url = baseUrl + table.pathOf({ ...request, page: 1 });
  const model = envelopeElsewhere(envelopeOf(first), (written, of) => {
    // Only the API's own links can be made those of another page.
    if (description.links === "api") return written;
    return of === "path" ? url : withPage(url, 1);
  });
  return envelopeForPage(model, { page: request.page, perPage, total, count: 0 });
}

import { envelopeForPage, type PageTarget } from "../api/envelope.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { parseAttachmentsId } from "../store/records.ts";
import type { ListManifest, Ref } from "../store/snapshots.ts";

/** A list whose items are pages of a file each. */
export interface PagedList extends Pick<ListManifest, "perPage" | "envelope" | "overrides"> {
  refs: () => Iterable<Ref>;
  count: number;
  /** Whether the envelopes are those of a longer list. */
  filtered?: boolean;
}

/** The attachment list of a record's id; undefined where the snapshot has no such list. */
export function attachmentList(catalogue: Catalogue, recordId: string): PagedList | undefined {
  const { parent, id, kind } = parseAttachmentsId(recordId);
  const list = catalogue.snapshot.attachments(parent, id, kind);
  return list && { ...list, refs: () => list.items, count: list.items.length };
}

/** What the envelope of a page is made from. */
interface EnvelopeSource {
  /** An envelope that the origin wrote. */
  text: string;
  /** The page to make one like it for; undefined where it is used as it is. */
  target?: PageTarget;
}

/** The pages of a list, each with the envelope that the origin wrote or would write, and what that is made from. */
export function* pagesOf(list: PagedList) {
  const { perPage, overrides } = list;
  const model = list.envelope ?? '{"data":[]}';
  const told = numbersOf(model);
  // If an item is missing, the origin's own count still holds, as long as the number of pages does.
  const total = told.total ?? list.count;
  // An envelope that names more pages than there are would lead out of the archive.
  const named = Math.max(told.lastPage, lastPageOf({ count: total, perPage }));
  const holds = !list.filtered && named <= lastPageOf(list);
  const sourceOf = (page: number, count: number): EnvelopeSource => {
    const known = page === 1 ? model : overrides[page];
    if (holds && known !== undefined) return { text: known };
    const target = { page, perPage, total: holds ? total : list.count, count };
    return { text: model, target };
  };
  let page = 1;
  let refs: Ref[] = [];
  const done = () => {
    const source = sourceOf(page, refs.length);
    const { text, target } = source;
    const envelope = (): string => (target === undefined ? text : envelopeForPage(text, target));
    return { page, refs, source, envelope };
  };
  for (const ref of list.refs()) {
    if (perPage > 0 && refs.length === perPage) {
      yield done();
      page++;
      refs = [];
    }
    refs.push(ref);
  }
  yield done();
}

/** Number of the last page of a list; an empty list has one page. */
export function lastPageOf({ count, perPage }: Pick<PagedList, "count" | "perPage">): number {
  return perPage > 0 ? Math.max(1, Math.ceil(count / perPage)) : 1;
}

/** What an envelope says of its list. */
export function numbersOf(envelope: string): { total: number | undefined; lastPage: number } {
  const { meta } = JSON.parse(envelope) as { meta?: Record<string, unknown> | null };
  const countIn = (value: unknown): number | undefined => {
    const count = Number(value ?? -1);
    return Number.isInteger(count) && count >= 0 ? count : undefined;
  };
  return { total: countIn(meta?.total), lastPage: countIn(meta?.last_page) ?? 1 };
}

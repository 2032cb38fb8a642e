import { envelopeForPage } from "../api/envelope.ts";
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

/** The pages of a list, each with what makes the envelope that the origin wrote or would write. */
export function* pagesOf(list: PagedList) {
  const { perPage, overrides } = list;
  const model = list.envelope ?? '{"data":[]}';
  const told = numbersOf(model);
  // If an item is missing, the origin's own count still holds, as long as the number of pages does.
  const total = told.total ?? list.count;
  // An envelope that names more pages than there are would lead out of the archive.
  const named = Math.max(told.lastPage, lastPageOf({ count: total, perPage }));
  const holds = !list.filtered && named <= lastPageOf(list);
  const envelopeOf = (page: number, count: number): string => {
    if (!holds) return envelopeForPage(model, { page, perPage, total: list.count, count });
    if (page === 1) return model;
    return overrides[page] ?? envelopeForPage(model, { page, perPage, total, count });
  };
  let page = 1;
  let refs: Ref[] = [];
  const done = () => {
    const [number, count] = [page, refs.length];
    let text: string | undefined;
    const envelope = (): string => {
      text ??= envelopeOf(number, count);
      return text;
    };
    return { page, refs, envelope };
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

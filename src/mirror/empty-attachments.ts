import { envelopeElsewhere, envelopeForPage, withPage } from "../api/envelope.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { keyOf } from "../lib/digest.ts";
import type { OutputFile } from "../lib/output.ts";
import { encodeSegment } from "../routes/segments.ts";
import { attachmentRoutes, mediaKinds, type Parent } from "../routes/table.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { attachmentsId, parseAttachmentsId } from "../store/records.ts";
import type { Answers } from "./answers.ts";
import { type Linker, urlsOf } from "./links.ts";
import { numbersOf } from "./paged-lists.ts";

/** How one attachment endpoint answers without items. */
export type EmptyModel = ReturnType<typeof modelOf>;

/** The first page of a list that shows how an empty one looks. */
interface Pattern {
  envelope: string;
  perPage: number;
  /** Whose attachments it lists; undefined where its URLs name nobody. */
  id?: string | undefined;
  count: number;
}

/** Lists of an endpoint to find the shortest among. */
const looked = 100;

/**
 * How each attachment endpoint answers without items, by `parent/kind`. The model is the shortest of its lists, else the
 * empty list that the crawl asked for, else a list of another endpoint, else an index. None where the origin has no
 * such endpoint.
 */
export function emptyModels(
  { routes, snapshot }: Pick<Catalogue, "routes" | "snapshot">,
  linker: Pick<Linker, "destinations" | "rewrite">,
): Map<string, EmptyModel> {
  const seen = seenPatterns(snapshot);
  const known = snapshot.manifest.learned?.emptyLists ?? {};
  const models = new Map<string, EmptyModel>();
  for (const { parent, kind } of attachmentRoutes) {
    const endpoint = `${parent}/${kind}`;
    const urlOf = (id: string): string =>
      routes.urlOf({ route: "attachments", parent, id, kind, page: 1 }) ?? "";
    const own = seen.get(endpoint);
    const learned = known[endpoint];
    if (urlOf("") === "" || (own === undefined && learned === null)) continue;
    const asked = learned && { ...learned, perPage: 0, count: 0 };
    const attached = own ?? asked ?? patternElsewhere(seen, parent);
    const pattern = attached ?? snapshot.list(kind) ?? snapshot.list(parent);
    if (pattern?.envelope == null) continue;
    models.set(endpoint, modelOf({ ...pattern, envelope: pattern.envelope }, urlOf, linker));
  }
  return models;
}

function seenPatterns(snapshot: SnapshotReader): Map<string, Pattern> {
  const patterns = new Map<string, Pattern>();
  const counts = new Map<string, number>();
  for (const ref of snapshot.refs("attachments")) {
    const { parent, id, kind } = parseAttachmentsId(ref.id);
    const endpoint = `${parent}/${kind}`;
    const number = counts.get(endpoint) ?? 0;
    if (number === looked) continue;
    counts.set(endpoint, number + 1);
    const list = snapshot.attachments(parent, id, kind);
    if (list === undefined || list.envelope === "{}") continue;
    const { envelope, perPage, items } = list;
    const shortest = patterns.get(endpoint)?.count ?? Number.POSITIVE_INFINITY;
    const count = items.length;
    if (count < shortest) patterns.set(endpoint, { envelope, perPage, id, count });
  }
  return patterns;
}

/** A list of another endpoint, of the same parents if there is one, without the id that its URLs have. */
function patternElsewhere(seen: ReadonlyMap<string, Pattern>, parent: Parent): Pattern | undefined {
  const others = [...seen];
  const [, other] = others.find(([name]) => name.startsWith(`${parent}/`)) ?? others[0] ?? [];
  return other && { ...other, id: undefined };
}

function modelOf(
  { envelope, perPage, id: ofId, count }: Pattern,
  urlOf: (id: string) => string,
  linker: Pick<Linker, "destinations" | "rewrite">,
) {
  const page = /[?&]page=\d+/;
  const theirs = ofId === undefined ? undefined : encodeURIComponent(ofId);
  const make = (id: string): string => {
    const elsewhere = envelopeElsewhere(envelope, (written, of) => {
      if (theirs !== undefined && written.includes(theirs)) {
        return written.replaceAll(theirs, encodeURIComponent(id));
      }
      return of === "page" && page.test(written) ? withPage(urlOf(id), 1) : urlOf(id);
    });
    if (count === 0 && numbersOf(envelope).lastPage <= 1) return elsewhere;
    return envelopeForPage(elsewhere, { page: 1, perPage, total: 0, count: 0 });
  };
  // Only the id differs, and to replace it is faster than to write the envelope anew.
  const mark = keyOf("mark", envelope);
  const [markedUrl, marked] = [urlOf(mark), make(mark)];
  const envelopeOf = (id: string): string => {
    const written = encodeURIComponent(id);
    if (markedUrl.replaceAll(mark, written) !== urlOf(id)) return make(id);
    return marked.replaceAll(mark, written);
  };
  let common: string | undefined;
  return {
    /** Where the URLs lead that do not depend on the id. */
    destinations: linker.destinations(urlsOf(marked)),
    envelopeOf,
    /**
     * The list of an id as the file at `path` has it. Its URLs lead to that file; where these links do not name the id,
     * the text is the same for all ids, and made once.
     */
    contentOf(id: string, path: string): string {
      if (common !== undefined) return common;
      const content = linker.rewrite(envelopeOf(id), path);
      const names = [encodeURIComponent(id), encodeSegment(id)];
      if (!names.some((name) => content.includes(name))) common = content;
      return content;
    },
  };
}

/** The lists of articles and galleries without attachments of a kind, for which the origin answers with an empty one. */
export function* emptyAttachments(
  { snapshot }: Pick<Catalogue, "snapshot">,
  parent: Parent,
  models: ReadonlyMap<string, EmptyModel>,
  { placeOf, settings }: Answers,
): Generator<OutputFile> {
  for (const { id, value: normal } of snapshot.normals(parent)) {
    for (const kind of mediaKinds) {
      const model = models.get(`${parent}/${kind}`);
      if (model === undefined || normal.attachments[kind] !== 0) continue;
      if (snapshot.digestOf("attachments", attachmentsId(parent, id, kind))) continue;
      const place = placeOf({ route: "attachments", parent, id, kind, page: 1 });
      if (place === undefined) continue;
      const { path } = place;
      yield {
        ...place,
        // All URLs but those of the model lead to the file itself.
        key: () => keyOf(settings, "none", path, model.envelopeOf(id), model.destinations),
        content: () => model.contentOf(id, path),
      };
    }
  }
}

import { envelopeElsewhere, envelopeForPage, withPage } from "../api/envelope.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { keyOf } from "../lib/digest.ts";
import type { OutputFile } from "../lib/output.ts";
import { attachmentRoutes, type MediaKind, mediaKinds, type Parent } from "../routes/table.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { attachmentsId } from "../store/records.ts";
import type { Answers } from "./answers.ts";
import type { Linker } from "./links.ts";

/** How one attachment endpoint answers for what has nothing of its kind. */
export interface EmptyModel {
  envelopeOf(id: string): string;
  /** Where the URLs lead that do not depend on the id. */
  destinations: string;
}

/** The first page of a list that shows how another one looks. */
interface Pattern {
  envelope: string;
  perPage: number;
  /** Whose attachments it lists, where it is a list of the same endpoint. */
  id?: string;
  /** Whether it lists nothing itself. */
  empty?: boolean;
  /** Whether it has one page only, as an empty list has. */
  short?: boolean;
}

/** Lists of an endpoint among which an empty one is looked for. */
const looked = 100;

/**
 * How each attachment endpoint answers without items, by `parent/kind`: as an empty list of its own, else after the
 * pattern of another of its lists, else as an empty list that the crawl has asked for. Where nothing was seen of the
 * endpoint: after a list of the same parents, of the same kind, or an index. None where the origin has no such list.
 */
export function emptyModels(
  { routes, snapshot }: Pick<Catalogue, "routes" | "snapshot">,
  linker: Pick<Linker, "destinations">,
): Map<string, EmptyModel> {
  const seen = seenPatterns(snapshot);
  const asked = snapshot.manifest.learned?.emptyLists ?? {};
  const models = new Map<string, EmptyModel>();
  for (const { parent, kind } of attachmentRoutes) {
    const endpoint = `${parent}/${kind}`;
    const urlOf = (id: string): string =>
      routes.urlOf({ route: "attachments", parent, id, kind, page: 1 }) ?? "";
    const own = seen.get(endpoint);
    const learned = asked[endpoint];
    if (urlOf("") === "" || (own === undefined && learned === null)) continue;
    const pattern =
      own ??
      (learned ? { ...learned, perPage: 0, empty: true } : patternElsewhere(seen, parent, kind)) ??
      patternOfIndex(snapshot, parent, kind);
    if (pattern !== undefined) models.set(endpoint, modelOf(pattern, urlOf, linker));
  }
  return models;
}

/** For each endpoint an empty list of it, or one of a single page, or the first one. */
function seenPatterns(snapshot: SnapshotReader): Map<string, Pattern> {
  const patterns = new Map<string, Pattern>();
  const counts = new Map<string, number>();
  for (const { id: listId, digest } of snapshot.refs("attachments")) {
    const endpoint = listId.replace(/\/.*\//s, "/");
    const count = counts.get(endpoint) ?? 0;
    if (count === looked || patterns.get(endpoint)?.empty === true) continue;
    counts.set(endpoint, count + 1);
    const {
      parent,
      parentId: id,
      kind,
    } = snapshot.read("attachments", { id: listId, digest }).normal;
    const list = snapshot.attachments(parent, id, kind);
    if (list === undefined || list.envelope === "{}") continue;
    const { envelope, perPage, items } = list;
    const [empty, short] = [items.length === 0, items.length <= perPage];
    const before = patterns.get(endpoint);
    if (before === undefined || empty || (short && before.short !== true)) {
      patterns.set(endpoint, { envelope, perPage, id, empty, short });
    }
  }
  return patterns;
}

/** The pattern of another endpoint, without the id that its URLs have. */
function patternElsewhere(
  seen: ReadonlyMap<string, Pattern>,
  parent: Parent,
  kind: MediaKind,
): Pattern | undefined {
  const others = [
    ...mediaKinds.map((other) => `${parent}/${other}`),
    `articles/${kind}`,
    `galleries/${kind}`,
  ];
  const found = others.map((endpoint) => seen.get(endpoint)).find((other) => other !== undefined);
  return found && { envelope: found.envelope, perPage: found.perPage, empty: found.empty === true };
}

function patternOfIndex(
  snapshot: SnapshotReader,
  parent: Parent,
  kind: MediaKind,
): Pattern | undefined {
  const list = snapshot.list(kind) ?? snapshot.list(parent);
  return list?.envelope == null ? undefined : { envelope: list.envelope, perPage: list.perPage };
}

function modelOf(
  { envelope, perPage, id: ofId, empty }: Pattern,
  urlOf: (id: string) => string,
  linker: Pick<Linker, "destinations">,
): EmptyModel {
  const page = /[?&]page=\d+/;
  const theirs = ofId === undefined ? undefined : encodeURIComponent(ofId);
  const make = (id: string): string => {
    const elsewhere = envelopeElsewhere(envelope, (written, of) => {
      if (theirs !== undefined && written.includes(theirs)) {
        return written.replaceAll(theirs, encodeURIComponent(id));
      }
      return of === "page" && page.test(written) ? withPage(urlOf(id), 1) : urlOf(id);
    });
    if (empty === true) return elsewhere;
    return envelopeForPage(elsewhere, { page: 1, perPage, total: 0, count: 0 });
  };
  // To write one anew takes long, and only the id differs.
  const mark = keyOf("mark", envelope);
  const [markedUrl, marked] = [urlOf(mark), make(mark)];
  return {
    destinations: linker.destinations(marked),
    envelopeOf(id) {
      const written = encodeURIComponent(id);
      if (markedUrl.replaceAll(mark, written) !== urlOf(id)) return make(id);
      return marked.replaceAll(mark, written);
    },
  };
}

/** Lists of what has no attachments of a kind: the origin answers with an empty one. */
export function* emptyAttachments(
  { snapshot }: Pick<Catalogue, "snapshot">,
  parent: Parent,
  models: ReadonlyMap<string, EmptyModel>,
  { linker, placeOf, settings }: Answers,
): Generator<OutputFile> {
  for (const { id, digest } of snapshot.refs(parent)) {
    const { normal } = snapshot.read(parent, { id, digest });
    for (const kind of mediaKinds) {
      const model = models.get(`${parent}/${kind}`);
      if (model === undefined || normal.attachments[kind] !== 0) continue;
      if (snapshot.digestOf("attachments", attachmentsId(parent, id, kind))) continue;
      const place = placeOf({ route: "attachments", parent, id, kind, page: 1 });
      if (place === undefined) continue;
      const { path } = place;
      const envelope = model.envelopeOf(id);
      yield {
        ...place,
        // All URLs but those of the model lead to the file itself.
        key: keyOf(settings, "none", path, envelope, model.destinations),
        content: () => linker.rewrite(envelope, path),
      };
    }
  }
}

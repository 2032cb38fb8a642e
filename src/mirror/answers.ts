import { withData } from "../api/envelope.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { cached } from "../lib/cached.ts";
import { keyOf } from "../lib/digest.ts";
import type { OutputFile } from "../lib/output.ts";
import type { SingleForm } from "../routes/learned.ts";
import type { ApiRequest, JsonRequest, Parent } from "../routes/table.ts";
import type { ListName } from "../store/list-names.ts";
import { singleWriter } from "../store/single-form.ts";
import type { Ref } from "../store/snapshots.ts";
import { type Linker, urlsOf, urlsOfRecord } from "./links.ts";
import { type PagedList, pagesOf } from "./paged-lists.ts";

export type Answers = ReturnType<typeof createAnswers>;

/** The stored object, wrapped as the API document says. */
export const wrapped: SingleForm = {
  around: { envelope: '{"data":null}', member: "data" },
  times: null,
};

/** Makes the files that answer requests. @param settings digest of the settings that every file depends on */
export function createAnswers(
  { routes, snapshot }: Pick<Catalogue, "routes" | "snapshot">,
  linker: Linker,
  settings: string,
) {
  /** Of the objects of the lists that are at work, by digest: their URLs, and the keys that were asked for. */
  const urls = new Map<string, readonly string[]>();
  const keys = new Map<string, string>();

  function know(lists: readonly ListName[]): void {
    for (const known of [urls, keys]) known.clear();
    for (const list of lists) {
      for (const { digest, value } of snapshot.prepared(list, urlsOfRecord))
        urls.set(digest, value);
    }
  }

  /** Key of an object and of where its URLs lead. An attachment list may have one that no other list has. */
  function objectKey(digest: string): string {
    const known = keys.get(digest);
    if (known !== undefined) return known;
    const own = urls.get(digest) ?? urlsOf(snapshot.readRaw({ id: "", digest }));
    const key = keyOf(digest, linker.destinations(own));
    if (urls.delete(digest)) keys.set(digest, key);
    return key;
  }

  /** Key of an envelope and of where its URLs lead; those of the list's other pages lead to files likewise. */
  const envelopeKey = cached(2, (text: string) => keyOf(text, linker.destinations(urlsOf(text))));

  const formOf = (form: SingleForm) => ({ key: JSON.stringify(form), write: singleWriter(form) });
  const ofItems = formOf(wrapped);
  const ofImages = formOf(snapshot.manifest.learned?.singleImages?.form ?? wrapped);

  function urlOf(request: ApiRequest): string | undefined {
    const below = routes.pathOf(request);
    return below && `/${routes.root}${below}`;
  }

  /** The file of an answer and its URL; undefined where the origin has no such endpoint. */
  function placeOf(request: JsonRequest) {
    const path = routes.fileOf(request);
    return path === undefined ? undefined : { path, url: urlOf(request) };
  }

  /** An object as it stands in a file, its links leading to what they lead to from there. */
  const textOfObject = (ref: Ref, path: string): string =>
    linker.rewrite(snapshot.readRaw(ref), path);

  /** The file of one object; none where the origin has no such endpoint. */
  function* single(index: Parent | "images", ref: Ref): Generator<OutputFile> {
    const place = placeOf({ route: "single", index, id: ref.id });
    if (place === undefined) return;
    const form = index === "images" ? ofImages : ofItems;
    const key = () => keyOf(settings, form.key, objectKey(ref.digest));
    const content = () => linker.rewrite(form.write(snapshot.readRaw(ref)), place.path);
    yield { ...place, key, content };
  }

  /** The files of a list; none where the origin has no such endpoint. */
  function* pages(
    list: PagedList,
    requestOf: (page: number) => JsonRequest,
  ): Generator<OutputFile> {
    for (const { page, source, envelope, refs } of pagesOf(list)) {
      const place = placeOf(requestOf(page));
      if (place === undefined) return;
      yield {
        ...place,
        key() {
          const target = JSON.stringify(source.target ?? null);
          const keys = refs.map(({ digest }) => objectKey(digest));
          return keyOf(settings, "list", envelopeKey(source.text), target, keys);
        },
        content() {
          const items = refs.map((ref) => textOfObject(ref, place.path));
          return withData(linker.rewrite(envelope(), place.path), items);
        },
      };
    }
  }

  return {
    settings,
    linker,
    urlOf,
    placeOf,
    /** Reads the URLs of lists' objects, of which keys are made, in the place of those that were known. */
    know,
    /** Key of an object as the mirror writes it. */
    keyOfObject: objectKey,
    textOfObject,
    single,
    pages,
  };
}

import { withData } from "../api/envelope.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { cached } from "../lib/cached.ts";
import { keyOf } from "../lib/digest.ts";
import type { OutputFile } from "../lib/output.ts";
import type { SingleForm } from "../routes/learned.ts";
import type { ApiRequest, JsonRequest, Parent } from "../routes/table.ts";
import { singleWriter } from "../store/single-form.ts";
import type { Ref } from "../store/snapshots.ts";
import type { Linker } from "./links.ts";
import { type PagedList, pagesOf } from "./paged-lists.ts";

export type Answers = ReturnType<typeof createAnswers>;

/** The stored object, wrapped as the API document says. */
const wrapped: SingleForm = {
  around: { envelope: '{"data":null}', member: "data" },
  times: null,
};

/** Makes the files that answer requests. @param settings digest of the settings that every file depends on */
export function createAnswers(
  { routes, snapshot }: Pick<Catalogue, "routes" | "snapshot">,
  linker: Linker,
  settings: string,
) {
  const objectKey = cached(100_000, (digest: string) =>
    keyOf(digest, linker.destinations(snapshot.readRaw({ id: "", digest }))),
  );

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

  /** The file of one object; none where the origin has no such endpoint. */
  function* single(index: Parent | "images", ref: Ref): Generator<OutputFile> {
    const place = placeOf({ route: "single", index, id: ref.id });
    if (place === undefined) return;
    const form = index === "images" ? ofImages : ofItems;
    const key = keyOf(settings, form.key, objectKey(ref.digest));
    const content = () => linker.rewrite(form.write(snapshot.readRaw(ref)), place.path);
    yield { ...place, key, content };
  }

  /** The files of a list; none where the origin has no such endpoint. */
  function* pages(
    list: PagedList,
    requestOf: (page: number) => JsonRequest,
  ): Generator<OutputFile> {
    for (const { page, envelope, refs } of pagesOf(list)) {
      const place = placeOf(requestOf(page));
      if (place === undefined) return;
      const keys = refs.map(({ digest }) => objectKey(digest));
      yield {
        ...place,
        key: keyOf(settings, "list", envelope, linker.destinations(envelope), keys),
        content() {
          const items = refs.map((ref) => linker.rewrite(snapshot.readRaw(ref), place.path));
          return withData(linker.rewrite(envelope, place.path), items);
        },
      };
    }
  }

  return { settings, linker, urlOf, placeOf, single, pages };
}

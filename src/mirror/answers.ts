import { withData } from "../api/envelope.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { cached } from "../lib/cached.ts";
import { keyOf } from "../lib/digest.ts";
import type { OutputFile } from "../lib/output.ts";
import type { SingleForm } from "../routes/learned.ts";
import type { ApiRequest, JsonRequest } from "../routes/table.ts";
import { singleWriter } from "../store/single-form.ts";
import type { Ref } from "../store/snapshots.ts";
import type { Linker } from "./links.ts";
import { type PagedList, pagesOf } from "./paged-lists.ts";

/** How the answer for one object is made of what is stored. */
type Form = ReturnType<typeof formOf>;

/** Makes the files that answer requests with what is stored. */
export type Answers = ReturnType<typeof createAnswers>;

/** The object as it is stored, wrapped as the API document says. */
export const wrapped: SingleForm = {
  around: { envelope: '{"data":null}', member: "data" },
  times: null,
};

export function formOf(single: SingleForm) {
  return { key: JSON.stringify(single), write: singleWriter(single) };
}

/** @param settings digest of the settings that every file depends on */
export function createAnswers(
  { routes, snapshot }: Pick<Catalogue, "routes" | "snapshot">,
  linker: Linker,
  settings: string,
) {
  const objectKey = cached(100_000, (digest: string) =>
    keyOf(digest, linker.destinations(snapshot.readRaw({ id: "", digest }))),
  );

  function urlOf(request: ApiRequest): string | undefined {
    const below = routes.pathOf(request);
    return below && `/${routes.root}${below}`;
  }

  /** The file of an answer and its URL; undefined where the origin has no such endpoint. */
  function placeOf(request: JsonRequest) {
    const path = routes.fileOf(request);
    return path === undefined ? undefined : { path, url: urlOf(request) };
  }

  function* answer(
    request: JsonRequest,
    envelope: string,
    refs: Ref[],
    form: Form | "list",
  ): Generator<OutputFile> {
    const place = placeOf(request);
    if (place === undefined) return;
    const { path } = place;
    const formKey = form === "list" ? form : form.key;
    const keys = refs.map((ref) => objectKey(ref.digest));
    yield {
      ...place,
      key: keyOf(settings, formKey, envelope, linker.destinations(envelope), ...keys),
      content() {
        const raws = refs.map((ref) => snapshot.readRaw(ref));
        if (form !== "list") return linker.rewrite(form.write(raws[0] ?? "{}"), path);
        const items = raws.map((raw) => linker.rewrite(raw, path));
        return withData(linker.rewrite(envelope, path), items);
      },
    };
  }

  function* pages(
    list: PagedList,
    requestOf: (page: number) => JsonRequest,
  ): Generator<OutputFile> {
    for (const { page, envelope, refs } of pagesOf(list)) {
      yield* answer(requestOf(page), envelope, refs, "list");
    }
  }

  const single = (request: JsonRequest, ref: Ref, form: Form) => answer(request, "{}", [ref], form);
  return { settings, linker, urlOf, placeOf, single, pages };
}

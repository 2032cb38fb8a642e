import type { Catalogue } from "../catalogue/catalogue.ts";
import { mostFrequentFirst } from "../lib/frequency.ts";
import type { OutputFile } from "../lib/output.ts";
import { mediaEnding } from "../routes/site.ts";
import { scalingOfSlot } from "../routes/slots.ts";
import type { Ref } from "../store/snapshots.ts";
import { type Answers, formOf, wrapped } from "./answers.ts";
import { shownOf } from "./paged-lists.ts";

/**
 * Objects, renditions and originals of the images that may be shown. Returns the endings of the originals' names,
 * the most frequent first.
 */
export function* imageFiles(
  catalogue: Catalogue,
  answers: Answers,
): Generator<OutputFile, string[]> {
  const { snapshot, routes } = catalogue;
  const form = formOf(snapshot.manifest.learned?.singleImages?.form ?? wrapped);
  const endings: string[] = [];
  for (const { id, digest } of shownImages(catalogue)) {
    yield* answers.single({ route: "single", index: "images", id }, { id, digest }, form);
    const entry = catalogue.media("images", id);
    if (entry === undefined) continue;
    for (const { slot, format, blob } of entry.renditions) {
      const path = routes.fileOfImage(id, slot, format);
      const request = { route: "binary", id, scaling: scalingOfSlot(slot) } as const;
      yield { path, blob, url: format === "jpeg" ? answers.urlOf(request) : undefined };
      const linked = routes.linkedFileOfImage(id, slot, format);
      if (linked !== path) yield { path: linked, blob };
    }
    const path = catalogue.originalPath(entry);
    if (path === undefined) continue;
    const { blob, extension } = entry.original;
    endings.push(mediaEnding(extension));
    yield { path, blob, url: answers.urlOf({ route: "download", id }) };
  }
  return mostFrequentFirst(endings);
}

function* shownImages(catalogue: Catalogue): Generator<Ref> {
  const { snapshot } = catalogue;
  yield* shownOf(catalogue, "images", snapshot.refs("images"));
  for (const ref of shownOf(catalogue, "images", snapshot.refs("images.attached"))) {
    if (snapshot.digestOf("images", ref.id) === undefined) yield ref;
  }
}

import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import type { Ref } from "../../store/snapshots.ts";
import { type FileKind, fileKey, fileKinds, fileOf, type Uses } from "../attachments.ts";
import { referenceOf } from "../cards.ts";
import { listPages } from "../pagination.ts";
import type { Link } from "../pictures.ts";
import { findableOf } from "../search/documents.ts";
import type { Findable } from "../search/segments.ts";
import { type Site, section, type TemplateView } from "../site.ts";
import { type Summary, titleOf } from "../summaries.ts";

/** More articles and galleries with a file are left out. */
const mostPlaces = 5;

interface Placed extends Ref {
  kind: FileKind;
  places: readonly Summary[];
}

/** The list of all videos, audio files and documents; none where there is none. Notes in `findable` what may be found. */
export function* filePages(
  site: Site,
  { files }: Uses,
  findable: Findable[],
): Generator<OutputFile> {
  const { snapshot } = site.catalogue;
  const all = fileKinds.flatMap((kind) =>
    [kind, `${kind}.unlisted` as const].flatMap((list) =>
      Array.from(snapshot.refs(list), (ref): Placed => {
        const places = files.get(`${kind}/${ref.id}`) ?? [];
        return { ...ref, kind, places: places.slice(0, mostPlaces) };
      }),
    ),
  );
  if (all.length === 0) return;
  const { perPage } = site.config.site;
  for (const [at, file] of all.entries()) {
    const { title, createdAt } = snapshot.read(file.kind, file).normal;
    const path = sitePaths.files(1 + Math.floor(at / perPage));
    const named = { ...file, title: titleOf(title, site.formats), path };
    findable.push({ ...findableOf(site, "file", named, createdAt), file: file.kind });
  }
  yield* listPages(site, all, {
    title: section(site, "files").title,
    section: "files",
    path: sitePaths.files,
    itemKey: (file) =>
      [fileKey(site, file.kind, file), file.places.map((one) => one.title + one.path)].join(),
    image: () => undefined,
    view: (items, link, shared): TemplateView => {
      const of = (kind: FileKind) =>
        items.filter((item) => item.kind === kind).map((item) => placedView(site, item, link));
      return {
        template: "files",
        data: { ...shared, videos: of("videos"), audio: of("audio"), documents: of("documents") },
      };
    },
  });
}

function placedView(site: Site, { kind, places, ...ref }: Placed, link: Link) {
  const file = fileOf(site, kind, ref, link);
  return { ...file, places: places.map((place) => referenceOf(place, link)) };
}

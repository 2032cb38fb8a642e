import { createUnsigner, type Unsigner } from "../api/signatures.ts";
import { openCatalogue } from "../catalogue/catalogue.ts";
import { otherSecrets } from "../config/other-secrets.ts";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import type { OutputFile } from "../lib/output.ts";
import { createRoutes } from "../routes/table.ts";
import { renderSite } from "../site/render.ts";
import type { Site } from "../site/site.ts";
import type { MediaEntries } from "../store/media.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { Addresses } from "./addresses.ts";
import { canariesOf } from "./canaries.ts";
import { createLeakGuard, type LeakGuard } from "./leaks.ts";

export interface ShownSnapshot {
  store: Store;
  manifest: SnapshotManifest;
  config: Config;
  secrets?: readonly string[] | undefined;
  unsigner?: Unsigner | undefined;
  /** Blobs of originals that are not published, as the build's record has them. */
  withheld?: readonly string[];
  /** Instead of the latest entries of the store. */
  entries?: MediaEntries;
}

export type ShownArchive = ReturnType<typeof openShown>;

/** What of a snapshot may be shown, and the guard that has the last look at each file that shows it. */
export function openShown(input: ShownSnapshot) {
  const { store, manifest, config, secrets = [], withheld } = input;
  const { unsigner = createUnsigner(config.origin), entries = store.media } = input;
  const routes = createRoutes(config, manifest.origins);
  const reader = store.reader(manifest);
  const catalogue = openCatalogue(reader, entries, routes, config, new Set(withheld));
  const all = [...secrets, ...otherSecrets(config.origin)];
  const guard = createLeakGuard(canariesOf(catalogue, entries, all), unsigner);
  return { catalogue, guard };
}

/** The files of a website, and where its former addresses lead. Their texts are without what must not be named. */
export function* websiteFiles(site: Site, guard: LeakGuard, addresses = new Addresses(new Map())) {
  // To a page, an id in a title is a word like any other. In a body, the parser decodes what hid a signed link.
  const cleaned = (file: OutputFile): OutputFile =>
    withText(file, (text) => guard.withoutIds(guard.unsigned(text)));
  for (const file of renderSite(site)) yield cleaned(addresses.note(file));
  yield cleaned(addresses.redirects(site.catalogue));
}

export function withText(file: OutputFile, change: (text: string) => string): OutputFile {
  if ("blob" in file) return file;
  if ("draw" in file) {
    const text = change(file.text);
    // What may not be named changes without the picture.
    return text === file.text ? file : { ...file, text, key: () => keyOf(file.key(), text) };
  }
  const content = () => {
    const made = file.content();
    return typeof made === "string" ? change(made) : made;
  };
  return { ...file, content };
}

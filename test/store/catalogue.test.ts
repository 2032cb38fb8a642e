import { describe, expect, it } from "vitest";
import { type Config, ConfigSchema } from "../../src/config.ts";
import { createRoutes } from "../../src/routes/table.ts";
import { type Catalogue, openCatalogue } from "../../src/store/catalogue.ts";
import type { SnapshotReader } from "../../src/store/reader.ts";
import { type ItemCollection, normalise } from "../../src/store/records.ts";
import type { ListManifest, SnapshotManifest } from "../../src/store/snapshots.ts";
import { openStore } from "../../src/store/store.ts";
import { temporaryFolder } from "./support.ts";

const base = "https://origin.test/api/v1";
const web = "https://origin.test/view";

const image = (id: string) => ({
  id,
  links: {
    view: `${web}/images/${id}/`,
    web: `${base}/images/${id}.jpg`,
    download: `https://cdn.test/originals/${id}.tif`,
  },
});
const lists: Record<string, object[]> = {
  articles: [{ id: "a1", slug: "one", links: { view: `${web}/articles/one` } }],
  galleries: [{ id: "g1", slug: "shore", links: { view: `${web}/galleries/shore` } }],
  images: [image("public"), image("both")],
  "images.private": [image("private"), image("both")],
  "images.unlisted": [image("unproved")],
  videos: [{ id: "v1", links: { download: `${base}/videos/v1/download` } }],
  categories: [{ id: "c1", slug: "news" }],
  tags: [{ slug: "zoo" }],
};

/** A catalogue of the lists above, and how often each object was read for it. */
function catalogueOf(media: Partial<Config["media"]> = {}): {
  catalogue: Catalogue;
  reads: Map<string, number>;
} {
  const config = ConfigSchema.parse({ origin: { baseUrl: base }, media });
  const store = openStore(temporaryFolder());
  const saved: Record<string, ListManifest> = {};
  for (const [list, objects] of Object.entries(lists)) {
    const collection = list.split(".")[0] as ItemCollection;
    const refs = objects.map((object) => {
      const result = normalise(collection, object, "auto");
      if ("error" in result) throw new Error(result.error);
      const { id, normal } = result;
      return { id, digest: store.objects.put(collection, id, normal, JSON.stringify(object)) };
    });
    saved[list] = store.snapshots.saveList({ refs, perPage: 0, envelope: null, overrides: {} });
  }
  const reader = store.reader({ lists: saved } as unknown as SnapshotManifest);
  const reads = new Map<string, number>();
  const counting: SnapshotReader = {
    ...reader,
    read(collection, ref) {
      reads.set(ref.id, (reads.get(ref.id) ?? 0) + 1);
      return reader.read(collection, ref);
    },
  };
  return { catalogue: openCatalogue(counting, store.media, createRoutes(config), config), reads };
}

describe("openCatalogue", () => {
  it("reads each object of a list once", () => {
    const { reads } = catalogueOf();
    // This one stands in two lists.
    expect(reads.get("both")).toBe(2);
    reads.delete("both");
    expect([...reads.keys()].sort()).toEqual(
      ["a1", "g1", "public", "private", "unproved", "v1", "c1", "zoo"].sort(),
    );
    expect(new Set(reads.values())).toEqual(new Set([1]));
  });

  it("locates the pages of what is published", () => {
    const { catalogue } = catalogueOf();
    expect(catalogue.locate(`${web}/articles/one#end`)).toMatchObject({ type: "page" });
    expect(catalogue.locate(`${web}/galleries/shore/`)).toMatchObject({ type: "page" });
    expect(catalogue.locate(`${web}/images/public`)).toMatchObject({ type: "page" });
    expect(catalogue.locate(`${web}/images/private`)).toBeUndefined();
  });
});

describe("a URL of the origin is held", () => {
  it.each<[string, boolean]>([
    [`${web}/images/private`, true],
    [`${web}/images/private/#top`, true],
    [`${web}/images/both/`, true],
    [`${web}/images/unproved?expires=1&signature=ab`, true],
    [`${base}/images/private.jpg?width=640`, true],
    [`${base}/images/private/download?signature=ab`, true],
    [`${base}/images/private`, true],
    [`${base}/images/nobody-knows-it`, true],
    ["https://cdn.test/originals/private.tif", true],
    [`${web}/images/public`, false],
    [`${base}/images/public.jpg`, false],
    [`${base}/images/public`, false],
    ["https://cdn.test/originals/public.tif", false],
    [`${base}/images`, false],
    [`${base}/articles/a1`, false],
    [`${web}/articles/one`, false],
    ["https://elsewhere.test/", false],
    ["", false],
  ])("%s: %s", (url, held) => {
    expect(catalogueOf().catalogue.held(url)).toBe(held);
  });

  it("unless its image is published without a proof", () => {
    const { catalogue } = catalogueOf({ unproved: "publish" });
    expect(catalogue.held(`${web}/images/unproved`)).toBe(false);
    expect(catalogue.held(`${web}/images/private`)).toBe(true);
  });

  it("in time in proportion to its length", () => {
    const { catalogue } = catalogueOf();
    const started = performance.now();
    catalogue.held(`https://x${"/".repeat(200_000)}x`);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

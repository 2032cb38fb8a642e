import { describe, expect, it } from "vitest";
import { type Catalogue, openCatalogue } from "../../src/catalogue/catalogue.ts";
import { type Config, ConfigSchema } from "../../src/config.ts";
import { createRoutes } from "../../src/routes/table.ts";
import type { ObjectStore } from "../../src/store/objects.ts";
import { attachmentsRaw, openReader } from "../../src/store/reader.ts";
import { attachmentsId, type ItemCollection, normalise } from "../../src/store/records.ts";
import type { ListManifest, Ref, SnapshotManifest } from "../../src/store/snapshots.ts";
import { openStore } from "../../src/store/store.ts";
import { temporaryFolder } from "../store/support.ts";

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
const everything: Record<string, object[]> = {
  articles: [{ id: "a1", slug: "one", links: { view: `${web}/articles/one` } }],
  galleries: [{ id: "g1", slug: "shore", links: { view: `${web}/galleries/shore` } }],
  images: [image("public"), image("both")],
  "images.private": [image("private"), image("both")],
  "images.unlisted": [image("unproved")],
  videos: [{ id: "v1", links: { download: `${base}/videos/v1/download` } }],
  categories: [{ id: "c1", slug: "news" }],
  tags: [{ slug: "zoo" }],
};

/** A catalogue of the lists above or others, and how often each object was read for it. */
function catalogueOf(
  media: Partial<Config["media"]> = {},
  lists = everything,
  attached: object[] = [],
): {
  catalogue: Catalogue;
  reads: Map<string, number>;
  /** Opens it again. */
  open: () => Catalogue;
} {
  const config = ConfigSchema.parse({ origin: { baseUrl: base }, media });
  const store = openStore(temporaryFolder());
  const saved: Record<string, ListManifest> = {};
  function put(collection: ItemCollection, object: object): Ref {
    const result = normalise(collection, object, "auto");
    if ("error" in result) throw new Error(result.error);
    const { id, normal } = result;
    return { id, digest: store.objects.put(collection, id, normal, JSON.stringify(object)) };
  }
  function save(list: string, refs: Ref[]): void {
    saved[list] = store.snapshots.saveList({ refs, perPage: 0, envelope: null, overrides: {} });
  }
  for (const [list, objects] of Object.entries(lists)) {
    const collection = list.split(".")[0] as ItemCollection;
    save(
      list,
      objects.map((object) => put(collection, object)),
    );
  }
  const items = attached
    .map((object) => put("images", object))
    .map(({ id, digest }): [string, string] => [id, digest]);
  const pages = attachmentsRaw({ perPage: 20, envelope: "{}", overrides: {} });
  const id = attachmentsId("articles", "a1", "images");
  const normal = { parent: "articles", parentId: "a1", kind: "images", items } as const;
  save("attachments", [{ id, digest: store.objects.put("attachments", id, normal, pages) }]);
  const manifest = { lists: saved, complete: true } as unknown as SnapshotManifest;
  const reads = new Map<string, number>();
  const objects: ObjectStore = {
    ...store.objects,
    read(collection, digest) {
      const found = store.objects.read(collection, digest);
      reads.set(found.id, (reads.get(found.id) ?? 0) + 1);
      return found;
    },
  };
  const open = (): Catalogue => {
    const reader = openReader({ ...store, objects }, manifest);
    return openCatalogue(reader, store.media, createRoutes(config), config);
  };
  return { catalogue: open(), reads, open };
}

describe("openCatalogue", () => {
  it("reads no object a second time", () => {
    const { reads, open } = catalogueOf({}, everything, [image("public"), image("unproved")]);
    expect([...reads.keys()].sort()).toEqual(
      [
        ...["a1", "articles/a1/images", "both", "c1", "g1"],
        ...["private", "public", "unproved", "v1", "zoo"],
      ].sort(),
    );
    reads.clear();
    expect(open().page("articles", "a1")).toBe("articles/one.html");
    expect([...reads]).toEqual([]);
  });

  it("locates the pages of what is published", () => {
    const { catalogue } = catalogueOf();
    expect(catalogue.locate(`${web}/articles/one#end`)).toMatchObject({ type: "page" });
    expect(catalogue.locate(`${web}/galleries/shore/`)).toMatchObject({ type: "page" });
    expect(catalogue.locate(`${web}/images/public`)).toMatchObject({ type: "page" });
    expect(catalogue.locate(`${web}/images/private`)).toBeUndefined();
  });
});

/** Parameters as Google, Meta, Microsoft, Mailchimp and Matomo document them. */
const tracked = [
  "utm_source=x&utm_medium=social&utm_campaign=a%20b",
  "fbclid=IwAR0-x_y",
  "gclid=Cj0K",
  "gad_source=1&gbraid=0AAA",
  "msclkid=1",
  "mc_cid=1&mc_eid=2",
  "UTM_SOURCE=X",
  "",
];
describe("one page has many URLs", () => {
  it.each([
    "http://origin.test/view/articles/one",
    "//origin.test/view/articles/one/",
    "HTTP://origin.test/view/articles/one//#x",
    ...tracked.map((query) => `${web}/articles/one?${query}`),
    ...tracked.map((query) => `${web}/articles/one/?${query}#end`),
  ])("%s", (url) => {
    const { catalogue } = catalogueOf();
    expect(catalogue.locate(url)).toEqual(catalogue.locate(`${web}/articles/one`));
    const secret = url.replace("articles/one", "images/private");
    expect(catalogue.mayName(secret)).toBe(false);
  });

  it.each([
    `${web}/articles/one?page=2`,
    `${web}/articles/one?p=1&utm_source=x`,
    `${web}/articles/one?clid=1`,
    `${web}/articles/one&utm_source=x`,
    "ftp://origin.test/view/articles/one",
    "https://elsewhere.test/view/articles/one",
  ])("and not %s", (url) => {
    expect(catalogueOf().catalogue.locate(url)).toBeUndefined();
  });
});

describe("a URL of the origin may not be named", () => {
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
  ])("%s: %s", (url, unnamed) => {
    expect(catalogueOf().catalogue.mayName(url)).toBe(!unnamed);
  });

  it("unless its image is published without a proof", () => {
    const { catalogue } = catalogueOf({ unproved: "publish" });
    expect(catalogue.mayName(`${web}/images/unproved`)).toBe(true);
    expect(catalogue.mayName(`${web}/images/private`)).toBe(false);
  });

  it("unless it leads elsewhere, however long it is", () => {
    const { catalogue } = catalogueOf();
    // Quadratic time would be more than the test has.
    expect(catalogue.mayName(`https://x${"/".repeat(1_000_000)}x`)).toBe(true);
  });
});

describe("the visibility of an image", () => {
  it.each([
    ["public", "public", "it stands in the public index"],
    ["private", "private", "it stands in the index of private images"],
    ["both", "private", "it stands in the index of private images"],
    ["left", "private", "it left the public index"],
    ["marked", "private", "a record of it says that it is private"],
    ["unproved", "unproved", "it is attached to something, but stands in no index"],
    ["nobody-knows-it", "unproved", "the snapshot does not know it"],
  ])("%s: %s, because %s", (id, visibility, reason) => {
    const { catalogue } = catalogueOf(
      {},
      {
        ...everything,
        images: [...(everything.images ?? []), { ...image("marked"), private: true }],
        "images.retracted": [image("left")],
      },
    );
    expect(catalogue.visibility.of(id)).toEqual({ visibility, reason });
    expect(catalogue.shows("images", id)).toBe(visibility === "public");
  });
});

describe("an image whose own record says that it is private", () => {
  const marked = (id: string) => ({ ...image(id), is_private: true });
  const cases: [string, Record<string, object[]>, object[]][] = [
    ["in the public index", { images: [marked("x"), image("y")] }, []],
    ["attached and in no index", { images: [image("y")], "images.unlisted": [marked("x")] }, []],
    ["by one of two lists", { images: [image("x"), image("y")] }, [marked("x"), image("y")]],
    [
      "by the index and not where it is attached",
      { images: [marked("x"), image("y")] },
      [image("x"), image("y")],
    ],
    [
      "by one of two records in different lists",
      { images: [image("x"), image("y")], "images.unlisted": [marked("x")] },
      [],
    ],
    [
      "by two attachment lists of three",
      { images: [image("y")], "images.unlisted": [image("x")] },
      [image("x"), marked("x"), { ...marked("x"), title: "b" }],
    ],
  ];
  describe.each(cases)("%s", (_, lists, attached) => {
    it.each(["hold", "publish"] as const)("is not shown, unproved: %s", (unproved) => {
      const { catalogue } = catalogueOf({ unproved }, lists, attached);
      expect(catalogue.shows("images", "x")).toBe(false);
      expect(catalogue.visibility.of("x").visibility).toBe("private");
      expect(catalogue.page("images", "x")).toBeUndefined();
      expect([...catalogue.visibility.notShown()]).toEqual(["x"]);
      for (const url of [
        `${web}/images/x`,
        `${base}/images/x.jpg`,
        "https://cdn.test/originals/x.tif",
      ]) {
        expect(catalogue.mayName(url), url).toBe(false);
        expect(catalogue.locate(url), url).toBeUndefined();
      }
      expect(catalogue.shows("images", "y")).toBe(true);
      expect(catalogue.visibility.of("y").visibility).not.toBe("private");
      expect(catalogue.mayName("https://cdn.test/originals/y.tif")).toBe(true);
    });
  });

  it.each(["hold", "publish"] as const)(
    "is taken for one where it left the public index, unproved: %s",
    (unproved) => {
      const left = { "images.retracted": [image("x")], "images.unlisted": [image("x")] };
      const { catalogue } = catalogueOf({ unproved }, { images: [image("y")], ...left }, []);
      expect(catalogue.shows("images", "x")).toBe(false);
      expect(catalogue.visibility.of("x").visibility).toBe("private");
      expect(catalogue.mayName(`${web}/images/x`)).toBe(false);
      expect([...catalogue.visibility.notShown()]).toEqual(["x"]);
    },
  );

  it("is told from one that nothing proves public", () => {
    const { catalogue } = catalogueOf();
    expect(catalogue.visibility.of("unproved").visibility).not.toBe("private");
    expect(catalogue.visibility.of("both").visibility).toBe("private");
    expect(catalogue.shows("images", "unproved")).toBe(false);
  });
});

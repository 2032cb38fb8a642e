import { describe, expect, it } from "vitest";
import { ConfigSchema } from "../../src/config.ts";
import { mediaLists, recipeOf, recipesOf, tryAgain, verdictOf } from "../../src/media/jobs.ts";
import type { MediaEntry } from "../../src/store/media.ts";

const parse = (settings: object) =>
  ConfigSchema.parse({ origin: { baseUrl: "https://media.example.org/api" }, ...settings });

describe("mediaLists", () => {
  it("holds private images only where they are asked for", () => {
    expect(mediaLists(parse({}))).toEqual([
      "images",
      "images.unlisted",
      "videos",
      "videos.unlisted",
      "documents",
      "documents.unlisted",
      "audio",
      "audio.unlisted",
    ]);
    const lists = mediaLists(parse({ crawl: { privateImages: "include" } }));
    expect(lists.slice(0, 3)).toEqual(["images", "images.private", "images.unlisted"]);
  });
});

describe("verdictOf", () => {
  const entry: MediaEntry = {
    kind: "images",
    id: "1",
    record: "r1",
    recipe: "k1",
    original: { blob: "b1", bytes: 1, type: "image/png", extension: "png" },
    renditions: [],
  };
  const animation = (recipe: string): MediaEntry => ({
    ...entry,
    recipe,
    renditions: [{ slot: "web", format: "jpeg", blob: "b1", bytes: 1, width: 1, height: 1 }],
    remark: "animated gif, renditions show the first of 2 frames",
  });
  it.each([
    ["r1", entry, "k1", true, "current"],
    ["r1", { ...entry, recipe: "k1 limited" }, "k1", true, "current"],
    ["r1", { ...entry, recipe: tryAgain }, "k1", true, "encode"],
    ["r1", entry, "k2", true, "encode"],
    ["r1", animation("k1"), "k1", true, "encode"],
    ["r1", animation("k1 animated"), "k1", true, "current"],
    ["r1", animation("k1 limited"), "k1", true, "current"],
    ["r2", entry, "k1", true, "download"],
    ["r2", entry, "k2", true, "download"],
    ["r1", entry, "k1", false, "download"],
    ["r1", undefined, "k1", false, "download"],
  ])(
    "record %s, entry %o, recipe %s, blob %s → %s",
    async (record, known, recipe, blob, verdict) => {
      const recipes = {
        plain: recipe,
        limited: `${recipe} limited`,
        animated: `${recipe} animated`,
      };
      expect(await verdictOf({ record }, known, recipes, async () => blob)).toBe(verdict);
    },
  );

  it.each([
    [[], "current", 3],
    [["b1"], "download", 1],
    [["c1"], "encode", 2],
    [["c2"], "encode", 3],
  ])("with damaged files %o → %s, by the sizes of %i files", async (damaged, verdict, looks) => {
    const rendition = (slot: string, blob: string, bytes: number) =>
      ({ slot, blob, bytes, format: "jpeg", width: 1, height: 1 }) as const;
    const renditions = [
      rendition("web", "c1", 10),
      rendition("width/640", "c1", 10),
      rendition("width/320", "c2", 20),
    ];
    const sizes = new Map(Object.entries({ b1: 1, c1: 10, c2: 20 }));
    let looked = 0;
    const hasBlob = async (digest: string, bytes: number) => {
      looked++;
      return !(damaged as string[]).includes(digest) && sizes.get(digest) === bytes;
    };
    const recipes = { plain: "k1", limited: "k1 limited", animated: "k1 animated" };
    const known = { ...entry, renditions };
    expect(await verdictOf({ record: "r1" }, known, recipes, hasBlob)).toBe(verdict);
    expect(looked).toBe(looks);
  });
});

describe("recipeOf", () => {
  const recipe = (media: object, versions = "1"): string =>
    recipeOf(parse({ media }).media, versions);

  it("follows every setting that changes a rendition, and the encoders", () => {
    const plain = recipe({});
    for (const media of [
      { quality: { jpeg: 81 } },
      { formats: ["jpeg", "avif"] },
      { variants: [] },
      { web: { width: 1500 } },
      { thumbs: { square: [301, 300] } },
      // Then no image has its full size.
      { publishOriginals: false },
    ]) {
      expect(recipe(media)).not.toBe(plain);
    }
    expect(recipe({}, "2")).not.toBe(plain);
  });

  it("does not follow settings that change none", () => {
    const plain = recipe({});
    for (const media of [
      { unproved: "publish" },
      { limitPixels: 5 },
      { quality: { avif: 10 } },
      { formats: ["webp"] },
      { formats: ["webp", "jpeg"] },
    ]) {
      expect(recipe(media)).toBe(plain);
    }
  });

  it("never changes for other kinds than images", () => {
    const { media } = parse({ media: { variants: [] } });
    expect(recipesOf(media)("videos")).toEqual(recipesOf(parse({}).media)("audio"));
  });
});

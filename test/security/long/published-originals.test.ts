// A photographer's camera again: what it wrote into a picture, looked for in every file of a mirror.
import { readFileSync } from "node:fs";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { openCatalogue } from "../../../src/catalogue/catalogue.ts";
import type { Config } from "../../../src/config.ts";
import { mirrorFiles } from "../../../src/mirror/files.ts";
import { canariesOf } from "../../../src/publish/canaries.ts";
import { findingsIn } from "../../../src/review/findings.ts";
import { createRoutes } from "../../../src/routes/table.ts";
import type { SnapshotManifest } from "../../../src/store/snapshots.ts";
import { id, imageOf, picture, useStage } from "../../media/fixture.ts";

const stage = useStage();
const gps = { GPSLatitudeRef: "N", GPSLatitude: "48/1 12/1 0/1", GPSLongitude: "16/1 22/1 0/1" };
const exif = { IFD0: { Artist: "canary-owner" }, IFD3: gps };
const xmp = '<x><rdf:Description photoshop:City="canary-city"/></x>';

async function photograph(orientation: number, format: "jpeg" | "png" | "tiff" = "jpeg") {
  const told = sharp(await picture(orientation, 300, 200))
    .withExif({ ...exif, IFD0: { ...exif.IFD0, Orientation: String(orientation) } })
    .withMetadata({ orientation })
    .withExifMerge(exif)
    .withXmp(xmp);
  return await told.toFormat(format).toBuffer();
}

/** The bytes of all blobs that a mirror shows, by path. */
function published(config: Config, manifest: SnapshotManifest): Map<string, Buffer> {
  const { store } = stage;
  const catalogue = openCatalogue(
    store.reader(manifest),
    store.media,
    createRoutes(config),
    config,
  );
  const { isUnshownBlob } = canariesOf(catalogue, store.media, []);
  const files = new Map<string, Buffer>();
  for (const file of mirrorFiles(catalogue, config)) {
    if (!("blob" in file)) continue;
    expect(isUnshownBlob(file.blob)).toBe(false);
    files.set(file.path, readFileSync(store.blobs.own.pathOf(file.blob)));
  }
  return files;
}

const tells = (bytes: Buffer | undefined) => {
  const text = bytes?.toString("latin1") ?? "";
  return { owner: text.includes("canary-owner"), city: text.includes("canary-city") };
};
const everything = { owner: true, city: true };
const nothing = { owner: false, city: false };
const originalOf = (files: Map<string, Buffer>, number: number, ending = "jpg") =>
  [...files].find(([path]) => path.endsWith(`/by/download/${id(number)}.${ending}`))?.[1];

const fullOf = (files: Map<string, Buffer>, number: number) =>
  [...files].find(([path]) => path.endsWith(`/by/scale/100/${id(number)}.jpg`))?.[1];

describe("published files", () => {
  it("are the origin's originals, and renditions without metadata; a setting takes it out of originals, too", {
    timeout: 240_000,
  }, async () => {
    const photographs = [await photograph(1), await photograph(6), await photograph(1, "tiff")];
    const [upright, turned, tiff] = photographs as [Buffer, Buffer, Buffer];
    await stage.start({
      images: await Promise.all([
        imageOf(101, upright),
        imageOf(102, turned),
        imageOf(103, tiff, { mime: "image/tiff" }),
        imageOf(104, await picture(4)),
      ]),
    });
    const keep = stage.configOf();
    const manifest = await stage.crawl(keep);
    const { remarks } = await stage.media(keep, manifest);
    expect(remarks.places).toBe(3);
    const files = published(keep, manifest);
    const originals = [...files.keys()].filter((path) => path.includes("/by/download/"));
    expect(originals).toHaveLength(4);
    expect(originalOf(files, 101)).toEqual(upright);
    expect(originalOf(files, 102)).toEqual(turned);
    expect(tells(upright)).toEqual(everything);
    for (const [path, bytes] of files) {
      if (!originals.includes(path)) expect([path, tells(bytes)]).toEqual([path, nothing]);
    }
    const full = fullOf(files, 101) as Buffer;
    // The same coefficients: nothing was encoded again.
    expect(await sharp(full).raw().toBuffer()).toEqual(await sharp(upright).raw().toBuffer());
    expect(full.length).toBeLessThan(upright.length);
    expect(upright.includes(full.subarray(-500))).toBe(true);
    const plain = fullOf(files, 104);
    expect(plain).toEqual(originalOf(files, 104));

    for (const metadata of ["strip", "strip-location"] as const) {
      const strip = stage.configOf({ media: { metadata } });
      // Before the stage has run, nothing is published as it is.
      for (const bytes of published(strip, manifest).values())
        expect(tells(bytes)).toEqual(nothing);
      const { remarks: again, ...tally } = await stage.media(strip, manifest);
      expect(tally).toMatchObject({ downloaded: 0, encoded: 0, problems: [] });
      expect(again.first).toContainEqual({
        subject: `image ${id(103)}`,
        remark: expect.stringContaining("original is not published, because metadata cannot"),
      });
      const stripped = published(strip, manifest);
      const left = metadata === "strip" ? nothing : { owner: true, city: false };
      for (const [number, bytes] of [
        [101, upright],
        [102, turned],
      ] as const) {
        const copy = originalOf(stripped, number) as Buffer;
        expect(tells(copy)).toEqual(left);
        expect(await sharp(copy).autoOrient().raw().toBuffer()).toEqual(
          await sharp(bytes).autoOrient().raw().toBuffer(),
        );
        const entry = stage.store.media.get("images", id(number));
        expect(readFileSync(stage.store.blobs.own.pathOf(entry?.original.blob ?? ""))).toEqual(
          bytes,
        );
      }
      expect(originalOf(stripped, 103, "tiff")).toBeUndefined();
      expect(fullOf(stripped, 103)).toBeDefined();
      expect(originalOf(stripped, 104)).toEqual(plain);
      expect(await stage.media(strip, manifest)).toMatchObject({ upToDate: 4 });
    }
  });

  it("of an earlier version's store are made anew without decoding and downloading", async () => {
    const upright = await photograph(1);
    await stage.start({ images: [await imageOf(101, upright)] });
    const config = stage.configOf();
    const manifest = await stage.crawl(config);
    await stage.media(config, manifest);
    const entry = stage.store.media.get("images", id(101));
    if (entry === undefined) throw new Error("no entry");
    const { metadata, renditions, ...older } = entry;
    const { blob, bytes } = entry.original;
    const full = renditions.map((one) =>
      one.slot === "scale/100" ? { ...one, blob, bytes } : one,
    );
    stage.store.media.put({ ...older, renditions: full });
    for (const [path, content] of published(config, manifest)) {
      if (!path.includes("/by/download/")) expect(tells(content)).toEqual(nothing);
    }
    expect(await stage.media(config, manifest)).toMatchObject({ downloaded: 0, encoded: 0 });
    expect(stage.store.media.get("images", id(101))).toEqual(entry);
    const { store } = stage;
    const catalogue = openCatalogue(
      store.reader(manifest),
      store.media,
      createRoutes(config),
      config,
    );
    const found = [...findingsIn(catalogue, config.origin.baseUrl)].filter(
      ({ kind }) => kind === "place",
    );
    expect(found).toMatchObject([{ id: id(101), detail: "published with it" }]);
    expect(metadata).toMatchObject({ setting: "keep", place: true });
  });
});

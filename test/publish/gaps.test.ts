import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GapsError } from "../../src/errors.ts";
import { type Reporter, silent } from "../../src/lib/reporter.ts";
import { countMedia } from "../../src/publish/gaps.ts";
import { readRecord } from "../../src/publish/record.ts";
import { publishedBuild } from "../../src/publish/swap.ts";
import { type MediaKind, mediaKinds } from "../../src/routes/table.ts";
import { mediaListsOf } from "../../src/store/snapshots.ts";
import { base, type Fixture, ids, image, makeConfig, putMedia } from "../mirror/fixture.ts";
import { type Publishing, startPublishing } from "./support.ts";

let archive: Publishing;
beforeEach(() => {
  archive = startPublishing();
  // The one that could not be had.
  putMedia(archive.fixture.store, ids.missingImage);
  bring(archive.fixture);
});
afterEach(() => archive.close());

/** Makes the files that are there those of the records in the latest snapshot. */
function bring({ store, catalogue }: Fixture): void {
  for (const kind of mediaKinds) {
    for (const list of mediaListsOf(kind)) {
      for (const { id, digest } of catalogue().snapshot.refs(list)) {
        const entry = store.media.get(kind, id);
        if (entry !== undefined) store.media.put({ ...entry, record: digest });
      }
    }
  }
}

/** Makes what is there of an item that of another record, as after a change whose file could not be had. */
function outdate(kind: MediaKind, id: string): void {
  const { media } = archive.fixture.store;
  const entry = media.get(kind, id);
  if (entry === undefined) throw new Error(`no ${kind} ${id}`);
  media.put({ ...entry, record: "another" });
}

const refused = (): Promise<unknown> => archive.build({}, { allowIncomplete: false });

const video = (download: string | null) => ({
  id: ids.video,
  title: "Video",
  meta: {},
  links: { view: "https://origin.test/view/videos/1", download },
});

describe("what is published", () => {
  it("has a current file of every kind", async () => {
    const { missing, notShown } = await archive.build({}, { allowIncomplete: false });
    expect([missing, notShown]).toEqual([0, 2]);
  });

  it.each<[MediaKind, string, string]>([
    ["videos", ids.video, `1 of 1 video missing: video ${ids.video}`],
    ["images", ids.images[0] as string, `1 of 3 images missing: image ${ids.images[0]}`],
  ])("is not without one of %s, unless that is asked for", async (kind, id, text) => {
    outdate(kind, id);
    await expect(refused()).rejects.toThrow(GapsError);
    await expect(refused()).rejects.toThrow(`is incomplete: ${text}`);
    expect(publishedBuild(archive.out)).toBeUndefined();
    expect((await archive.build({}, { allowIncomplete: true })).missing).toBe(1);
    expect(
      (await archive.build({ crawl: { maxProblems: 1 } }, { allowIncomplete: false })).missing,
    ).toBe(1);
  });

  it("does not lack what the origin has no file of, until its record changes", async () => {
    const [first = "", ...others] = ids.images;
    const { store, catalogue } = archive.fixture;
    archive.fixture.write("images", [{ ...image(first), title: "Changed" }, ...others.map(image)]);
    bring(archive.fixture);
    outdate("images", first);
    const record = catalogue().snapshot.digestOf("images", first) ?? "";
    store.media.putAbsence("images", first, { record: "older", reason: "(404)", asked: true });
    await expect(refused()).rejects.toThrow(`1 of 3 images missing: image ${first}`);
    store.media.putAbsence("images", first, { record, reason: "(404)", asked: true });
    expect((await archive.build({}, { allowIncomplete: false })).missing).toBe(0);
  });

  it("is counted without a file for each where originals are not kept", () => {
    const { catalogue } = archive.fixture;
    outdate("videos", ids.video);
    const config = makeConfig({ media: { originals: false } });
    expect(countMedia(catalogue(config), config)).toMatchObject({ missing: 0, notShown: 2 });
  });
});

describe("the gaps of a published build", () => {
  it("are no reason not to publish its snapshot again, but further ones are", async () => {
    outdate("videos", ids.video);
    await archive.build({}, { allowIncomplete: true });
    const again = () => {
      const knownGaps = readRecord(publishedBuild(archive.out) as string);
      return archive.build({}, { allowIncomplete: false, knownGaps, damaged: "all" });
    };
    expect((await again()).missing).toBe(1);
    outdate("images", ids.images[0] as string);
    await expect(again()).rejects.toThrow("1 of 3 images, 1 of 1 video missing");
  });

  it("are none of another snapshot", async () => {
    outdate("videos", ids.video);
    await archive.build({}, { allowIncomplete: true });
    archive.fixture.write("videos", [video(`${base}/videos/${ids.video}/other`)]);
    const knownGaps = readRecord(publishedBuild(archive.out) as string);
    await expect(archive.build({}, { allowIncomplete: false, knownGaps })).rejects.toThrow(
      GapsError,
    );
  });
});

describe("a build that does not know the token", () => {
  const warnings: string[] = [];
  const reporter: Reporter = {
    ...silent,
    warn: (text, hint) => void warnings.push(`${text}: ${hint}`),
  };

  it("says so once, where something is written", async () => {
    await archive.build({}, { reporter });
    expect(warnings).toEqual([
      "the token is not known, so published files are not searched for it: set the variable STILLPRESS_TOKEN",
    ]);
    await archive.build({}, { reporter });
    expect(warnings).toHaveLength(1);
  });

  it("is quiet where it does", async () => {
    warnings.length = 0;
    await archive.build({}, { reporter, secrets: ["a-token-of-the-service"] });
    expect(warnings).toEqual([]);
  });
});

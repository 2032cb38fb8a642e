import { realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "../../src/lib/digest.ts";
import { openStore } from "../../src/store/store.ts";
import { type Press, startPress } from "../support/archive.ts";
import { contents } from "../support/contents.ts";

/** The odd origin attaches private images and marks them with `is_private`. */
describe("an archive that shows what nothing proves public", () => {
  let press: Press;
  /** Ids and files of the images that the origin marks as private and attaches. */
  const marked = new Map<string, string[]>();

  beforeAll(async () => {
    press = await startPress({
      personality: "odd",
      size: { articles: 36, galleries: 5, images: 100 },
      origin: { rate: null },
      config: { media: { unproved: "publish", formats: ["jpeg", "webp"], variants: [] } },
    });
    const { code, report } = await press.run("snapshot");
    expect(code).toBe(0);
    for (const [id, files] of filesOf(press.out, "images.unlisted")) {
      if (press.origin.content.images.get(id)?.private === true) marked.set(id, files);
    }
    expect(report.output?.held).toBe(marked.size);
  });
  afterAll(() => press.close());

  it("names no image that says to be private, and has no file of one", () => {
    expect(marked.size).toBeGreaterThan(1);
    expect(new Set([...marked.values()].flat()).size).toBeGreaterThan(marked.size);
    const { found, files } = tracesOf(press.out, marked);
    expect(found).toEqual([]);
    expect(files).toBeGreaterThan(300);
  });

  it("counts them as private", () => {
    const about = [...contents(realpathSync(join(press.out, "public")))].find(({ path }) =>
      path.endsWith("/public/snapshot.html"),
    );
    const text = about?.bytes.toString();
    expect(text).toContain(`${marked.size} images are not shown because the origin marks them`);
    expect(text).not.toContain("not shown: attached");
  });

  it("is whole: nothing leads to what was left out", async () => {
    const { code, stderr } = await press.run("verify", "--full");
    expect([code, stderr]).toEqual([0, expect.anything()]);
  });
});

/** Nothing but its leaving the index tells that an image became private. */
describe("an image that leaves the public index and is still attached", () => {
  let press: Press;
  beforeAll(async () => {
    press = await startPress({
      size: { articles: 12, galleries: 3, images: 40 },
      origin: { rate: null, privateInAttachments: true, privateMarker: null },
      config: { media: { unproved: "publish", formats: ["jpeg"], variants: [] } },
    });
  });
  afterAll(() => press.close());

  it("is shown no more, although what nothing proves public is", async () => {
    expect((await press.run("snapshot")).code).toBe(0);
    const { content } = press.origin;
    const attached = [...content.articles].flatMap(({ images }) => images);
    const id = attached.find((one) => content.images.get(one)?.private === false) ?? "none";
    const files = filesOf(press.out, "images").get(id) ?? expect.fail("no files");
    expect(tracesOf(press.out, new Map([[id, files]])).found).not.toEqual([]);

    content.images.edit(id, { private: true });
    for (let night = 1; night <= 2; night++) {
      const { code, stderr } = await press.run("snapshot");
      expect([code, stderr]).toEqual([0, expect.anything()]);
      expect(filesOf(press.out, "images.unlisted").has(id)).toBe(true);
      expect(tracesOf(press.out, new Map([[id, files]])).found).toEqual([]);
    }

    content.images.edit(id, { private: false });
    expect((await press.run("snapshot")).code).toBe(0);
    expect(tracesOf(press.out, new Map([[id, files]])).found).not.toEqual([]);
  });
});

/** Digests of the stored files of a list's images, by id. */
function filesOf(out: string, list: "images" | "images.unlisted"): Map<string, string[]> {
  const files = new Map<string, string[]>();
  const store = openStore(join(out, "store"), { readOnly: true });
  try {
    const reader = store.reader(store.snapshots.latest() ?? expect.fail("no snapshot"));
    for (const { id } of reader.refs(list)) {
      const entry = store.media.get("images", id) ?? expect.fail("no files");
      files.set(id, [entry.original.blob, ...entry.renditions.map(({ blob }) => blob)]);
    }
  } finally {
    store.close();
  }
  return files;
}

/** Where an archive names some images, or has one of their files; and how many files were looked at. */
function tracesOf(
  out: string,
  images: ReadonlyMap<string, readonly string[]>,
): { found: string[]; files: number } {
  const digests = new Set([...images.values()].flat());
  const found: string[] = [];
  let files = 0;
  for (const folder of ["public", "deploy"]) {
    for (const { path, bytes } of contents(realpathSync(join(out, folder)))) {
      files++;
      if (digests.has(sha256(bytes))) found.push(`${path}: a picture`);
      for (const id of images.keys()) {
        if (path.includes(id) || bytes.includes(id)) found.push(`${path}: ${id}`);
      }
    }
  }
  return { found, files };
}

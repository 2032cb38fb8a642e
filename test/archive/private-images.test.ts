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
    const store = openStore(join(press.out, "store"), { readOnly: true });
    try {
      const reader = store.reader(store.snapshots.latest() ?? expect.fail("no snapshot"));
      for (const { id } of reader.refs("images.unlisted")) {
        if (press.origin.content.images.get(id)?.private !== true) continue;
        const entry = store.media.get("images", id) ?? expect.fail("no files");
        marked.set(id, [entry.original.blob, ...entry.renditions.map(({ blob }) => blob)]);
      }
    } finally {
      store.close();
    }
    expect(report.output?.held).toBe(marked.size);
  });
  afterAll(() => press.close());

  it("names no image that says to be private, and has no file of one", () => {
    expect(marked.size).toBeGreaterThan(1);
    const digests = new Set([...marked.values()].flat());
    expect(digests.size).toBeGreaterThan(marked.size);
    const found: string[] = [];
    let files = 0;
    for (const folder of ["public", "deploy"]) {
      for (const { path, bytes } of contents(realpathSync(join(press.out, folder)))) {
        files++;
        if (digests.has(sha256(bytes))) found.push(`${path}: a picture`);
        for (const id of marked.keys()) {
          if (path.includes(id) || bytes.includes(id)) found.push(`${path}: ${id}`);
        }
      }
    }
    expect(found).toEqual([]);
    expect(files).toBeGreaterThan(300);
  });

  it("counts them as private", () => {
    const about = [...contents(realpathSync(join(press.out, "public")))].find(({ path }) =>
      path.endsWith("/public/snapshot.html"),
    );
    const text = about?.bytes.toString();
    expect(text).toContain(`${marked.size} images are not shown because the origin marks them`);
    expect(text).not.toContain("held back");
  });

  it("is whole: nothing leads to what was left out", async () => {
    const { code, stderr } = await press.run("verify", "--full");
    expect([code, stderr]).toEqual([0, expect.anything()]);
  });
});

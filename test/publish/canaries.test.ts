import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GuardError } from "../../src/errors.ts";
import { canariesOf } from "../../src/publish/canaries.ts";
import { createLeakGuard } from "../../src/publish/leaks.ts";
import type { SnapshotManifest } from "../../src/store/snapshots.ts";
import { base, ids, image, uuid } from "../mirror/fixture.ts";
import { type Publishing, startPublishing } from "./support.ts";

const nobody = "00000000-0000-0000-0000-000000000000";
const unshown = ids.unprovedImage;
let archive: Publishing;
beforeEach(() => {
  archive = startPublishing();
});
afterEach(() => archive.close());

describe("an article that names an image which is not published", () => {
  const html = [
    `<p>Text with ${unshown} and image-${unshown}.</p>`,
    `<img src="https://origin.test/api/v1/images/${unshown}.jpg" data-id="${unshown}" id="i-${unshown}">`,
    `<a href="https://cdn.test/${unshown}.jpg">elsewhere</a>`,
  ].join("");

  it("is published with the nil UUID in its place", async () => {
    archive.edit(`Title with ${ids.privateImage}`, html);
    await archive.build();
    expect(archive.holding(unshown)).toEqual([]);
    expect(archive.holding(ids.privateImage)).toEqual([]);
    const [first] = ids.articles;
    const answer = JSON.parse(archive.read(`api/v1/articles/${first}.json`));
    expect(answer.data.title).toBe(`Title with ${nobody}`);
    expect(answer.data.body).toContain(`data-id="${nobody}" id="i-${nobody}"`);
    expect(archive.read("articles/article-0.html")).toContain(`Text with ${nobody}`);
  });

  it("names it again once it is public, and no more when it is not", async () => {
    archive.edit("Title", html);
    await archive.build({ media: { unproved: "publish" } });
    const page = "articles/article-0.html";
    const before = archive.read(page);
    expect(before).toContain(`Text with ${unshown}`);
    await archive.build();
    expect(archive.holding(unshown)).toEqual([]);
    await archive.build({ media: { unproved: "publish" } });
    expect(archive.read(page)).toBe(before);
  });
});

describe("an article that names an image of which nothing is known", () => {
  const stranger = uuid("e", 1);
  const address = `${base}/images/${stranger}.jpg`;
  const html = [
    `<img src="${address}"><a href="https://origin.test/view/images/${stranger}">x</a>`,
    `<a href="https://cdn.test/?u=${encodeURIComponent(address)}">x</a>`,
    `<p>See /api/v1/images/${stranger}/download.</p>`,
    `<img src="${base}/images/${ids.images[0]}.jpg">`,
  ].join("");

  /** The latest snapshot once more, with another proof of its index of images. */
  function prove(agreed: boolean): void {
    const { snapshots } = archive.fixture.store;
    const { format: _, id: __, ...latest } = snapshots.latest() as SnapshotManifest;
    const counts = { collected: 0, expected: null, pages: 0, passes: 1 };
    const proof = [{ list: "images", ...counts, agreed }];
    snapshots.commit({ ...latest, complete: false, proof });
  }

  it("does not name it while the index of public images is not proved complete", async () => {
    archive.edit("Title", html);
    prove(true);
    await archive.build();
    expect(archive.holding(stranger)).not.toEqual([]);
    prove(false);
    await archive.build();
    expect(archive.holding(stranger)).toEqual([]);
    const [first] = ids.articles;
    const { data } = JSON.parse(archive.read(`api/v1/articles/${first}.json`));
    expect(data.body).toContain(`https://origin.test/view/images/${nobody}`);
    expect(data.body).toContain(`See /api/v1/images/${nobody}/download`);
    expect(data.body).toContain(`images/${ids.images[0]}`);
    const page = archive.read("articles/article-0.html");
    expect(page).toContain(ids.images[0]);
    expect(page).not.toContain(`href="https://origin.test/view/images/`);
  });
});

describe("an image whose own record says that it is private", () => {
  const publish = { media: { unproved: "publish" } };
  const marked = (id: string) => ({ ...image(id), private: "1" });

  it("is found in no file of either list, and counts as not shown", async () => {
    const [one = "", ...others] = ids.images;
    const first = await archive.build(publish);
    expect(first.notShown).toBe(1);
    expect(archive.holding(one)).not.toEqual([]);
    expect(archive.holding(unshown)).not.toEqual([]);
    archive.fixture.write("images", [marked(one), ...others.map((id) => image(id))]);
    archive.fixture.write("images.unlisted", [marked(unshown)]);
    const second = await archive.build(publish);
    expect(second.notShown).toBe(3);
    expect(archive.holding(one)).toEqual([]);
    expect(archive.holding(unshown)).toEqual([]);
    const about = archive.read("snapshot.html");
    expect(about).toContain("3 images are not shown because the origin marks them as private");
    expect(about).not.toContain("not shown: attached");
  });

  it("is told apart from what is only not proved public", async () => {
    const [one = "", ...others] = ids.images;
    archive.fixture.write("images", [marked(one), ...others.map((id) => image(id))]);
    expect((await archive.build()).notShown).toBe(3);
    const about = archive.read("snapshot.html");
    expect(about).toContain("2 images are not shown because the origin marks them as private");
    expect(about).toContain("1 image is not shown: attached");
  });
});

describe("the last look before publishing", () => {
  it("refuses a file with the token, and nothing is published", async () => {
    archive.edit("Title with s3cret-token-1234");
    const secrets = ["s3cret-token-1234"];
    await expect(archive.build({}, { secrets })).rejects.toThrow(GuardError);
    await expect(archive.build({}, { secrets })).rejects.toThrow(/would contain the access token/);
    expect((await archive.build()).published).toBe(true);
  });

  it("lets the bytes of an image that is not shown pass where a public one has the same", async () => {
    const [one = ""] = ids.images;
    const { store } = archive.fixture;
    const entry = store.media.get("images", one);
    if (entry === undefined) throw new Error("no entry");
    store.media.put({ ...entry, id: unshown });
    expect((await archive.build()).published).toBe(true);
  });

  it("knows the bytes of an image that its record says to be private", async () => {
    const [one = "", two = ""] = ids.images;
    const { fixture } = archive;
    const { store } = fixture;
    fixture.write("images", [{ ...image(one), access: "private" }, image(two)]);
    const entry = store.media.get("images", one);
    const catalogue = fixture.catalogue();
    const guard = createLeakGuard(canariesOf(catalogue, store.media, []));
    expect(() => guard.checkBlob("a.jpg", entry?.original.blob ?? "")).toThrow(GuardError);
    expect(() => guard.checkText("a.txt", `x ${one}`)).toThrow(GuardError);
  });

  it("finds nothing of an image that was published and turned private", async () => {
    const [one = ""] = ids.images;
    await archive.build();
    expect(archive.holding(one)).not.toEqual([]);
    archive.fixture.write("images.private", [image(ids.privateImage), image(one)]);
    await archive.build();
    expect(archive.holding(one)).toEqual([]);
  });
});

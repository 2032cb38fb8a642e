import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GuardError } from "../../src/errors.ts";
import { ids, image } from "../mirror/fixture.ts";
import { type Publishing, startPublishing } from "./support.ts";

const nobody = "00000000-0000-0000-0000-000000000000";
const held = ids.heldImage;
let archive: Publishing;
beforeEach(() => {
  archive = startPublishing();
});
afterEach(() => archive.close());

describe("an article that names an image which is not published", () => {
  const html = [
    `<p>Text with ${held} and image-${held}.</p>`,
    `<img src="https://origin.test/api/v1/images/${held}.jpg" data-id="${held}" id="i-${held}">`,
    `<a href="https://cdn.test/${held}.jpg">elsewhere</a>`,
  ].join("");

  it("is published with the nil UUID in its place", async () => {
    archive.edit(`Title with ${ids.privateImage}`, html);
    await archive.build();
    expect(archive.holding(held)).toEqual([]);
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
    expect(before).toContain(`Text with ${held}`);
    await archive.build();
    expect(archive.holding(held)).toEqual([]);
    await archive.build({ media: { unproved: "publish" } });
    expect(archive.read(page)).toBe(before);
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

  it("lets the bytes of a held image pass where a public one has the same", async () => {
    const [one = ""] = ids.images;
    const { store } = archive.fixture;
    const entry = store.media.get("images", one);
    if (entry === undefined) throw new Error("no entry");
    store.media.put({ ...entry, id: held });
    expect((await archive.build()).published).toBe(true);
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

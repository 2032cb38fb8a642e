import { appendFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { publishedBuild } from "../../src/publish/swap.ts";
import { followReferences } from "../../src/verify/follow.ts";
import { type Publishing, startPublishing } from "../publish/support.ts";

let archive: Publishing;
let build: string;
beforeEach(async () => {
  archive = startPublishing();
  await archive.build();
  build = publishedBuild(archive.out) as string;
});
afterEach(() => archive.close());

const page = "articles/article-0.html";
const missing = `<a href="nowhere.html">x</a>`;
const found = {
  path: expect.stringMatching(new RegExp(`/public/${page}$`)),
  reason: "leads to no file: nowhere.html",
};

describe("the references of a page are followed to the last one", () => {
  it.each([
    ["an entity that is no character", `<a href="&#x110000;&#99999999999;.html">x</a>`],
    ["a path that is not well encoded", `<a href="../api/v1/articles/%zz?page=%zz">x</a>`],
  ])("behind %s", async (_, html) => {
    appendFileSync(join(build, "public", page), html + missing);
    expect((await followReferences(build)).findings).toContainEqual(found);
  });

  it("behind one to a place on a page that is gone", async () => {
    const other = "articles/article-1.html";
    rmSync(join(build, "public", other));
    appendFileSync(
      join(build, "public", page),
      `<a href="${basename(other)}#part">x</a>${missing}`,
    );
    expect((await followReferences(build)).findings).toContainEqual(found);
  });
});

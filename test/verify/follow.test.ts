import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { publishedBuild } from "../../src/publish/swap.ts";
import { publishedDamage } from "../../src/verify/builds.ts";
import { followReferences } from "../../src/verify/follow.ts";
import { verifyArchive } from "../../src/verify/verify.ts";
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

describe("what an author got wrong", () => {
  const other = "https://origin.test/view/articles/article-1";
  it.each([
    ["a place that another page never had", `<a href="${other}#gone">x</a>`],
    ["one that it has", `<a href="${other}#part">x</a>`],
    [
      "a page below the archive's own address that never existed",
      '<a href="https://a.test/gone">x</a>https://a.test/lost',
    ],
    [
      "the same without its text's being parsed",
      "See https://a.test/gone and https://a.test/#lost",
    ],
    [
      "code about files",
      '<pre><code>&lt;img src="/assets/x.gif"&gt; &lt;a href="./x.html"></code></pre>',
    ],
    ["places without letters of ASCII", `<a href="${other}#ü%20b">x</a><a href="#ü">y</a>`],
  ])("is no damage: %s", async (_, html) => {
    for (const url of [null, "https://a.test"]) {
      for (const links of ["file", "api"]) {
        archive.edit("Edited", `<p id="a">${html}</p>`);
        await archive.build({ site: { url }, mirror: { links } });
        const { findings } = await followReferences(publishedBuild(archive.out) as string);
        expect(findings).toEqual([]);
      }
    }
  });

  it("is told where it leads to no place, and not where the place exists", async () => {
    archive.edit("Edited", '<p id="Über uns">x</p><a href="#%C3%9Cber%20uns">x</a>');
    await archive.build({ site: { url: "https://a.test" } });
    const here = await followReferences(publishedBuild(archive.out) as string);
    expect(here).toMatchObject({ findings: [], remarks: [] });
    archive.edit("Edited", `<a href="${other}#never">x</a>`);
    await archive.build({ site: { url: "https://a.test" } });
    const { findings, remarks } = await followReferences(publishedBuild(archive.out) as string);
    expect(findings).toEqual([]);
    expect(remarks.map(({ reason }) => reason)).toContainEqual(
      expect.stringMatching(/^leads to no element of the page: .*#user-content-never$/),
    );
  });
});

describe("repair", () => {
  it.each([
    ["a link to no page", missing],
    ["a picture that is not there", '<img src="/assets/nowhere.png" alt="">'],
    ["a picture of that size that is not there", '<img srcset="nowhere.jpg 2x" alt="">'],
    ["a place that its own frame does not have", '<a href="#nowhere">x</a>'],
  ])("finds what verify --full finds, and makes such a page again: %s", async (_, wrong) => {
    const theme = join(archive.out, "theme");
    cpSync("templates", theme, { recursive: true });
    const layout = join(theme, "layout.eta");
    const whole = readFileSync(layout, "utf8");
    writeFileSync(layout, whole.replace("</body>", `${wrong}</body>`));
    await archive.build({}, { templates: theme });
    const damaged = await publishedDamage(archive.out);
    expect(damaged).toContain(page);
    const { findings } = await verifyArchive({ out: archive.out, follow: true });
    expect(findings.length).toBeGreaterThan(0);
    writeFileSync(layout, whole);
    await archive.build({}, { templates: theme, ...(damaged && { damaged }) });
    expect(await publishedDamage(archive.out)).toBeUndefined();
  });
});

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

import { describe, expect, it } from "vitest";
import { csvText } from "../../src/lib/foreign.ts";
import { findingsIn } from "../../src/review/findings.ts";
import { api, closedArchives } from "../site/fixture.ts";
import { csvRows } from "./support.ts";

const createArchive = closedArchives();

describe("findingsIn", () => {
  it("counts the attached pictures that are kept back, and names none", () => {
    const { catalogue } = createArchive({
      images: [
        { id: "shown" },
        { id: "unproved", state: "attached", title: "Never to be told" },
        { id: "locked", state: "private", title: "Never to be told" },
      ],
      articles: [{ id: "a", images: ["shown", "unproved", "locked"], body: "<p>Text</p>" }],
    });
    const found = [...findingsIn(catalogue, api)];
    expect(found.find(({ kind }) => kind === "private")).toMatchObject({
      item: "articles",
      id: "a",
      detail: expect.stringMatching(/^2 of 3 pictures: /),
    });
    expect(JSON.stringify(found)).not.toMatch(/Never to be told|unproved"|locked/);
  });

  it("knows the links to the origin's pages by their folder, and leaves others alone", () => {
    const { catalogue } = createArchive({
      articles: [
        {
          id: "a",
          links: { view: "https://media.example.org/view/articles/a" },
          body: `<p><a href="https://media.example.org/view/articles/gone">1</a>
            <a href="https://media.example.org/view/articles/a">2</a>
            <a href="https://media.example.org/contact">3</a>
            <a href="https://other.example/view/articles/gone">4</a>
            <a href="#top">5</a></p><!-- <a href="https://media.example.org/view/articles/old">6</a> -->`,
        },
      ],
    });
    const links = [...findingsIn(catalogue, api)].filter(({ kind }) => kind === "link");
    expect(links.map(({ detail }) => detail)).toEqual([
      "https://media.example.org/view/articles/gone",
    ]);
    expect([...findingsIn(catalogue, api)].filter(({ kind }) => kind === "anchor")).toEqual([]);
  });

  it.each([
    ["<iframe srcdoc='<p>x</p>'></iframe><video></video><p>x</p>", "iframe, video"],
    [
      `<div data-bg="${api}/images/pic.jpg">x</div><svg><script>1</script><path d='M0'/></svg>`,
      "background, svg",
    ],
    ["<canvas></canvas><p>x</p>", "canvas"],
    ["<audio></audio>", "audio"],
    ["<p>x <svg><path d='M0 0h9'/></svg></p><iframe src='https://v.example/'></iframe>", undefined],
  ])("tells which parts of a text are shown as something else: %s", (body, expected) => {
    const articles = [{ id: "a", body }];
    const { catalogue } = createArchive({ images: [{ id: "pic" }], articles });
    const parts = [...findingsIn(catalogue, api)].filter(({ kind }) => kind === "part");
    const told = expected === undefined ? [] : [["a", expected]];
    expect(parts.map(({ id, detail }) => [id, detail])).toEqual(told);
  });

  it("finds huge originals by their pixels", () => {
    const { catalogue } = createArchive({
      images: [
        { id: "large", size: [9_000, 7_000] },
        { id: "usual", size: [6_000, 4_000] },
      ],
    });
    const found = [...findingsIn(catalogue, api)].filter(({ kind }) => kind === "huge");
    expect(found.map(({ id }) => id)).toEqual(["large"]);
  });

  it("tells the gaps and remarks of the crawl", () => {
    const problems = [{ subject: "article 1", reason: "is missing" }];
    const { catalogue } = createArchive({ problems, complete: false });
    expect([...findingsIn(catalogue, api)]).toEqual([
      { kind: "problem", title: "article", view: null, detail: "is missing" },
    ]);
  });
});

describe("csvText", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "' =1"],
    ['a "b", c', 'a "b", c'],
    ["two\nlines", "two lines"],
    ["1-2", "1-2"],
  ])("writes %j so that a spreadsheet reads %j", (text, read) => {
    const csv = csvText([[text, "next"]]);
    expect(csvRows(csv.slice(1))).toEqual([[read, "next"]]);
  });
});

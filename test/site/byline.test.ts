import { describe, expect, it } from "vitest";
import { bylineOf } from "../../src/site/byline.ts";
import { closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();

describe("the byline of a record", () => {
  it.each([
    [{ author: "Ada Blum" }, ["Ada Blum"]],
    [{ byline: "By  Ada Blum\nand Max Ott" }, ["Ada Blum and Max Ott"]],
    [{ authors: ["Ada Blum", { name: "Max Ott" }, "Ada Blum"] }, ["Ada Blum", "Max Ott"]],
    [{ author: { id: "7", first_name: "Ada", last_name: "Blum" } }, ["Ada Blum"]],
    [{ Author: { displayName: "Ada B." } }, ["Ada B."]],
    [{ written_by: "守塔人" }, ["守塔人"]],
    [{ author: 12, authors: [], creator: { id: "x" } }, []],
    [{ author: "1f5a52aa-0000-4000-8000-000000000001" }, []],
    [{ author: "ada@example.org", creator: "https://example.org/ada" }, []],
    [{ author: "x".repeat(101) }, []],
    [{ title: "Nothing of the kind" }, []],
    ["text", []],
  ])("%j: %j", (record, names) => {
    expect(bylineOf(record)).toEqual(names);
  });

  it("stands on the article's page and in what programs read, wherever the record has it", () => {
    const archive = archiveOf({
      articles: [
        { id: "a", author: "Ada <Blum>", body: "<p>x</p>" },
        { id: "b", body: "<p>x</p>" },
      ],
    });
    const page = archive.page("articles/article-a.html");
    expect(page).toContain('<span class="byline" dir="auto">By Ada &lt;Blum&gt;</span>');
    expect(page).toContain(String.raw`"author":[{"@type":"Person","name":"Ada \u003cBlum\u003e"}]`);
    expect(archive.page("articles/article-b.html")).not.toMatch(/byline|"author"/);
  });
});

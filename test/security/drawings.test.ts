// Drawings of a text become images of their own in its page. What must not be published is masked in them as well.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { base, ids } from "../mirror/fixture.ts";
import { type Publishing, startPublishing } from "../publish/support.ts";

let archive: Publishing;
beforeAll(() => {
  archive = startPublishing();
});
afterAll(() => archive.close());

const secret = ids.privateImage;
const signed = `${base}/images/${ids.images[0]}.jpg?expires=1700000000&amp;signature=0123456789abcdef`;
const drawing = `<svg viewBox="0 0 9 9"><path id="${secret}" d="M0 0h9"/><text>of ${secret}, ${signed}</text></svg>`;

describe("a drawing in a page tells no secret", () => {
  it.each([
    ["inline", drawing],
    ["in base64", `<img src="data:image/svg+xml;base64,${btoa(drawing)}">`],
    ["escaped", `<img src="data:image/svg+xml,${encodeURIComponent(drawing)}">`],
    [
      "in a document of a frame",
      `<iframe srcdoc="${drawing.replace(/["&]/g, (c) => `&#${c.charCodeAt(0)};`)}"></iframe>`,
    ],
    ["as its label", `<svg aria-label="${secret}"><path d="M0 0h9"/></svg>`],
  ])("%s", async (_, html) => {
    archive.edit("Edited", `<p>x ${html}</p>`);
    await archive.build();
    const page = archive.read("articles/article-0.html");
    const [, drawn = ""] = /src="data:image\/svg\+xml,([^"]+)"/.exec(page) ?? [];
    const text = decodeURIComponent(drawn);
    expect(text).toMatch(/^<svg .*<path /);
    for (const one of [page, text]) expect(one).not.toMatch(new RegExp(`${secret}|signature=`));
  });
});

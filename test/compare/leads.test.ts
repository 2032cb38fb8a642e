import { describe, expect, it } from "vitest";
import { leadsOf, pickLeads } from "../../src/compare/leads.ts";

const image = (id: string) => ({ id, links: { web: `/${id}.jpg`, download: `/${id}/download` } });

describe("leadsOf", () => {
  it("finds the pages before and behind, and the files of images", () => {
    const answer = { data: [image("a")], links: { prev: "/p1", next: "/p3", first: "/p1" } };
    const leads = leadsOf({ route: "index", index: "images", page: 2 }, answer);
    expect(leads.map(({ path, link, to }) => [path, link, to])).toEqual([
      ["links.next", "/p3", { route: "index", index: "images", page: 3 }],
      ["links.prev", "/p1", { route: "index", index: "images", page: 1 }],
      ["data[0].links.web", "/a.jpg", { route: "binary", id: "a", scaling: {} }],
      ["data[0].links.download", "/a/download", { route: "download", id: "a" }],
    ]);
  });

  it.each([
    ["no list", { route: "all", index: "tags" }, { data: [image("a")] }, 0],
    ["articles", { route: "index", index: "articles", page: 1 }, { data: [image("a")] }, 0],
    ["one image", { route: "single", index: "images", id: "a" }, { data: image("a") }, 2],
    ["nothing", { route: "index", index: "images", page: 1 }, null, 0],
    ["null links", { route: "index", index: "images", page: 1 }, { links: { next: null } }, 0],
  ] as const)("of %s", (_, request, answer, count) => {
    expect(leadsOf(request, answer)).toHaveLength(count);
  });
});

describe("pickLeads", () => {
  const answer = { data: [image("a"), image("b")], links: { prev: "/p1", next: "/p3" } };
  const leads = leadsOf({ route: "index", index: "images", page: 2 }, answer);
  it.each([
    [0, ["/p3", "/a.jpg"]],
    [0.2, ["/p3", "/b/download"]],
    [0.3, ["/p3"]],
    [0.9, ["/p1"]],
  ])("%f → %o", (number, expected) => {
    expect(pickLeads(leads, number).map(({ link }) => link)).toEqual(expected);
  });
});

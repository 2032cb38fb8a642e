import { describe, expect, it } from "vitest";
import { ConfigSchema } from "../../src/config.ts";
import { locateMediaLink, membersOfItem } from "../../src/store/media-link.ts";

const { origin } = ConfigSchema.parse({
  origin: { baseUrl: "https://media.example.org/api/v1", allowHosts: ["cdn.example.org"] },
});
const file = "https://cdn.example.org/v/7.mp4";
const view = "https://media.example.org/watch/7";

describe("the link to an item's file", () => {
  it.each<[object, string | null, string]>([
    [{ links: { view, download: file } }, file, "found"],
    [{ links: { view, file } }, file, "found"],
    [{ links: { view }, url: file }, file, "found"],
    [{ download_url: "https://cdn.example.org/x" }, "https://cdn.example.org/x", "found"],
    [{ src: "//cdn.example.org/x" }, "https://cdn.example.org/x", "found"],
    [{ file: "/files/7" }, "https://media.example.org/files/7", "found"],
    [{ file: { href: file, size: 3 } }, file, "found"],
    [{ sources: [{ src: file, type: "video/mp4" }] }, file, "found"],
    [{ video: { hd: file }, poster: "https://cdn.example.org/p.jpg" }, file, "found"],
    [
      { url: `${origin.baseUrl}/videos/7/raw?expires=1&signature=2` },
      `${origin.baseUrl}/videos/7/raw?expires=1&signature=2`,
      "found",
    ],
    // A host that may be asked comes before another one.
    [{ source: "https://other.example/7.mp4", url: file }, file, "found"],
    [{ links: { download: null }, url: file }, file, "found"],
    // The item's page, its own address in the API, and what is no URL.
    [{ links: { view }, url: view }, null, "missing"],
    [
      { links: { self: `${origin.baseUrl}/videos/7` }, url: `${origin.baseUrl}/videos/7` },
      null,
      "missing",
    ],
    [{ url: "https://blog.example/about" }, null, "missing"],
    [{ file: "seven.mp4", thumbnail: "https://cdn.example.org/t.jpg" }, null, "missing"],
    [{ title: "Seven" }, null, "missing"],
    [{ links: { view, download: null } }, null, "empty"],
    [{ links: null }, null, "empty"],
    [{ url: "" }, null, "empty"],
  ])("%j → %s, %s", (members, url, state) => {
    expect(locateMediaLink("videos", { id: "7", ...members }, origin)).toEqual({ url, state });
  });

  it("is that of the configured member, before all others", () => {
    const item = { id: "7", url: file, assets: { master: "https://cdn.example.org/m" } };
    const chosen = { ...origin, mediaLink: "assets.master" };
    expect(locateMediaLink("videos", item, chosen).url).toBe("https://cdn.example.org/m");
    expect(locateMediaLink("videos", { id: "8", url: file }, chosen).url).toBe(file);
  });

  it("is an image's download, or its web version, before all others", () => {
    const links = { download: "https://cdn.example.org/d", web: "https://cdn.example.org/w" };
    const item = { id: "7", url: file, links };
    expect(locateMediaLink("images", item, origin).url).toBe(links.download);
    const web = { ...item, links: { ...links, download: null } };
    expect(locateMediaLink("images", web, origin).url).toBe(links.web);
  });

  it("can be looked for among the members", () => {
    const item = { id: "7", links: { view }, tags: [] };
    expect(membersOfItem(item)).toEqual(["id", "links.view", "tags"]);
  });
});

import { describe, expect, it } from "vitest";
import { closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();
const path = "files/index.html";

describe("the list of videos, audio and documents", () => {
  const archive = archiveOf({
    files: [
      {
        ...{ id: "v", kind: "videos", type: "video/mp4", extension: "mp4", title: "The ferry" },
        movie: { width: 1280, height: 720, seconds: 3_725.4 },
      },
      { id: "s", kind: "audio", type: "audio/mp4", extension: "m4a", movie: { seconds: 59.6 } },
      { id: "d", kind: "documents", title: "Tide & table", caption: "Of the year" },
      { id: "loose", kind: "documents", title: "Loose" },
    ],
    articles: [{ id: "a", title: "Over <b>there</b>", videos: ["v"], documents: ["d"] }],
    galleries: [{ id: "g", title: "Films", videos: ["v"] }],
  });
  const page = archive.page(path);

  it("shows size and length before anything is loaded", () => {
    expect(page).toMatch(/<video controls preload="none" width="1280" height="720" src="/);
    expect(page).toContain("<strong>The ferry</strong> <small>1:02:05</small>");
    expect(page).toContain("<small>1:00</small>");
  });

  it("says where each file stands, and has those that stand nowhere", () => {
    const [, places] = /The ferry.*?<small class="places">(.*?)<\/small>/s.exec(page) ?? [];
    expect(places).toMatch(/articles\/article-a\.html.*galleries\/gallery-g\.html/);
    expect(page).toContain(">Loose</a>");
    expect(page).toContain('download="Tide &amp; table.pdf"');
  });

  it("is what the about page and the search lead to", () => {
    expect(archive.page("snapshot.html")).toContain('href="files/index.html"');
    const hits = archive.page("search/recent/file-0.js");
    expect(hits).toContain('"files/index.html#file-d","Tide & table"');
    expect(page).toContain('<li id="file-d">');
  });

  it("is missing where there is none", () => {
    const bare = archiveOf({ articles: [{ id: "a" }] });
    expect([...bare.keys().keys()]).not.toContain(path);
    expect(bare.page("snapshot.html")).not.toContain("files/");
  });
});

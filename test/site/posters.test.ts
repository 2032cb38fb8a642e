import { describe, expect, it } from "vitest";
import { api, closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();

function videoOf(members: object): string {
  const archive = archiveOf({
    images: [
      { id: "still", size: [1600, 900] },
      { id: "held", state: "attached" },
    ],
    files: [{ id: "v", kind: "videos", type: "video/mp4", extension: "mp4", ...members }],
    articles: [{ id: "a", videos: ["v"] }],
  });
  return /<video[^>]*>/.exec(archive.page("articles/article-a.html"))?.[0] ?? "no video";
}

describe("a video", () => {
  it.each([
    [{ poster: `${api}/images/still.jpg` }],
    [{ links: { thumbnail: { square: `${api}/images/still.jpg?thumb=1` } } }],
    [{ Preview_Image: 1, preview: { url: `${api}/images/still.jpg?width=320` } }],
  ])("shows the image that its record names: %j", (members) => {
    expect(videoOf(members)).toContain('poster="../api/v1/images/by/width/1280/still.jpg"');
  });

  it.each([
    [{}],
    [{ poster: "https://elsewhere.example/x.jpg" }],
    [{ poster: `${api}/images/held.jpg` }],
    [{ poster: 7, links: null }],
  ])("shows none otherwise: %j", (members) => {
    expect(videoOf(members)).not.toContain("poster");
  });
});

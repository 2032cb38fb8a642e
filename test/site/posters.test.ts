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

  it("shows a frame of its own otherwise, in the text of an article, too", () => {
    const still = "f".repeat(64);
    const archive = archiveOf({
      files: [
        {
          ...{ id: "v", kind: "videos", type: "video/mp4", extension: "mp4", still },
          ...{ movie: { width: 640, height: 360 } },
        },
      ],
      articles: [
        { id: "a", videos: ["v"] },
        { id: "b", body: `<video src="${api}/videos/v/download" width="9"></video>` },
      ],
    });
    const poster = `media/ff/${still.slice(0, 32)}.jpg`;
    for (const id of ["a", "b"]) {
      const [video] = /<video[^>]*>/.exec(archive.page(`articles/article-${id}.html`)) ?? [];
      expect(video).toContain(`poster="../${poster}"`);
      expect(video).toMatch(/ width="640" height="360"/);
    }
    expect(archive.files().find(({ path }) => path === poster)).toMatchObject({ blob: still });
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

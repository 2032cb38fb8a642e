import { type ArticleInput, api, type Content } from "./fixture.ts";

/*
 * Everything of the website that a reader can use, in few pages.
 */

const images = ["i0", "i1", "i2", "i3", "i4"];
const nature = { id: "c", title: "Nature" };
const coast = { id: "d", title: "Coast and harbours" };
const others = ["Weather", "Navigation", "Shipwrecks", "Correspondence", "Fisheries"].map(
  (title) => ({ id: title.toLowerCase(), title }),
);

const wideTable = `<table><tr><th><a href="https://elsewhere.example/first">first</a></th>${"<td>wide cell</td>".repeat(30)}
  <td><a href="https://elsewhere.example/last">last</a></td></tr></table>`;
const body = `<p>A text with <a href="${api.replace("/api/v1", "")}/view/articles/n1">a link that is long enough to
    stand on two lines where the column is narrow, and then some</a>.</p>
  <h2>A table</h2>${wideTable}
  <pre><code>${"const light = lamp.turn();".repeat(12)}</code></pre>
  <p><img src="${api}/images/i1.jpg" alt="A boat"></p>
  <p>A picture in the line, <img src="${api}/images/i3.jpg" alt="A lamp">, and text.</p>
  <figure><a href="https://elsewhere.example/figure"><img src="${api}/images/i4.jpg" alt="A quay"></a></figure>
  <iframe src="https://www.youtube.com/embed/abcdefghijk" title="A film"></iframe>
  <details><summary>More</summary><p><a href="https://elsewhere.example/more">Read more</a></p></details>`;

export const content: Content = {
  categories: [
    { ...nature, slug: "nature" },
    { ...coast, slug: "coast" },
    ...others.map((other) => ({ ...other, slug: other.id })),
  ],
  tags: [
    { slug: "sea", title: "Sea" },
    { slug: "tide", title: "Tide" },
  ],
  images: [
    ...images.map((id, at) => ({
      id,
      caption: at % 2 === 0 ? "The harbour at night" : "",
      size: [900 + at * 200, 700] as [number, number],
    })),
    { id: "lost", kept: false },
    { id: "bare", bare: true },
  ],
  files: [
    { id: "v", kind: "videos", type: "video/mp4", extension: "mp4" },
    { id: "s", kind: "audio", type: "audio/mpeg", extension: "mp3" },
    { id: "d", kind: "documents" },
  ],
  articles: [
    {
      id: "rich",
      title: "The keeper of the light",
      synopsis: "He counts the ships.",
      category: nature,
      tags: ["sea", "tide"],
      thumbnail: `${api}/images/i0`,
      images: [...images, "lost"],
      videos: ["v"],
      audio: ["s"],
      documents: ["d"],
      body,
    },
    ...Array.from({ length: 24 }, (_, at): ArticleInput => {
      return {
        id: `n${at}`,
        title: `${"ABCDEF"[at % 6]} report ${at}`,
        category: at % 2 === 0 ? nature : coast,
        tags: at % 3 === 0 ? ["sea"] : [],
        images: at % 4 === 0 ? ["i2"] : [],
        published_at: `${2022 + (at % 3)}-0${1 + (at % 4)}-02T10:00:00Z`,
      };
    }),
    ...others.flatMap((category) =>
      ["2023", "2024"].map((year) => {
        return { id: `${category.id}-${year}`, category, published_at: `${year}-01-02T10:00:00Z` };
      }),
    ),
  ],
  galleries: [
    { id: "g", images: [...images, "lost"], videos: ["v"], audio: ["s"] },
    { id: "h", images: ["i4", "i2"] },
  ],
  problems: Array.from({ length: 12 }, (_, at) => ({ subject: `image ${at}`, reason: "404" })),
};

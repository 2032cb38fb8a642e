import { readFileSync } from "node:fs";
import { api, type Content, type ImageInput } from "../fixture.ts";

/*
 * Content that is hard to set well: long titles, no picture, one, forty, portraits and panoramas, scripts that run from
 * right to left or have no spaces, code, tables and quotations. The texts of this folder belong to it.
 */

const body = (name: string): string =>
  readFileSync(new URL(`./${name}.html`, import.meta.url), "utf8");

const longTitle =
  "The last ferry of the winter, the keeper of the light, and eleven other passengers who waited on the lower quay while the water rose over the second step and the harbour master counted them again";

const sizes: [number, number][] = [
  [1600, 1067],
  [1067, 1600],
  [2400, 800],
  [1200, 1200],
  [700, 2100],
];

const forty: ImageInput[] = Array.from({ length: 40 }, (_, at) => ({
  id: `f${at + 1}`,
  title: at % 3 === 0 ? "" : `Harbour, picture ${at + 1}`,
  caption:
    at % 4 === 0
      ? "Seen from the crane: the ferry, two trawlers, and the water over the lower quay, an hour before the light went on for the first time since the war."
      : "",
  size: sizes[at % sizes.length],
}));

const picture = (id: string, alt = ""): string =>
  `<p><img src="${api}/images/${id}.jpg" alt="${alt}"></p>`;

export const hardCases: Content = {
  categories: [
    { id: "c", title: "Coast, harbours, lighthouses and the people who keep them", slug: "coast" },
    { id: "a", title: "البحر والناس", slug: "البحر والناس" },
  ],
  tags: [
    { slug: "sea", title: "Sea" },
    { slug: "灯塔", title: "灯塔" },
    { slug: "long", title: "a tag that somebody wrote as if it were a sentence about tags" },
  ],
  images: [
    ...forty,
    { id: "portrait", title: "The keeper", caption: "In his best coat", size: [900, 1600] },
    { id: "wide", title: "The bay", size: [3000, 750], meta: { credit: "M. Okafor" } },
    { id: "small", title: "A stamp", size: [120, 90] },
    { id: "lost", title: "A picture that the archive does not have", kept: false },
  ],
  files: [
    {
      id: "film",
      kind: "videos",
      type: "video/mp4",
      extension: "mp4",
      title: "The ferry comes in",
    },
    { id: "sound", kind: "audio", type: "audio/mpeg", extension: "mp3", title: "The foghorn" },
    { id: "chart", kind: "documents", title: longTitle },
  ],
  articles: [
    {
      id: "long",
      title: longTitle,
      synopsis: `${longTitle}. ${longTitle}.`,
      category: { id: "c", title: "Coast, harbours, lighthouses and the people who keep them" },
      tags: ["sea", "long"],
      images: ["wide", "portrait"],
      documents: ["chart"],
      body: `<p>Text before.</p>${picture("portrait", "A man in a coat")}<p>Text between.</p>${picture("wide")}${picture("small")}<p>Text after.</p>`,
    },
    { id: "bare", title: "No picture and no summary", body: "<p>Only a line.</p>" },
    { id: "word", title: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk", body: "" },
    {
      id: "one",
      title: "One picture",
      images: ["portrait"],
      body: "<p>A portrait stands above.</p>",
    },
    {
      id: "forty",
      title: "Forty pictures",
      images: forty.map(({ id }) => id),
      body: `<p>The first stands here.</p>${picture("f1")}`,
    },
    { id: "code", title: "How to read <code> & tables", tags: ["sea"], body: body("code") },
    { id: "tables", title: "High water", tags: ["sea"], body: body("tables") },
    { id: "quotations", title: "“What he wrote”", body: body("quotations"), images: ["small"] },
    {
      id: "arabic",
      slug: "المنارة القديمة والليلة الطويلة",
      title: "المنارة القديمة والليلة الطويلة",
      synopsis: "كان الحارس يكتب حالة الطقس كل ليلة.",
      category: { id: "a", title: "البحر والناس" },
      images: ["f2"],
      body: body("arabic"),
    },
    {
      id: "chinese",
      slug: "旧灯塔与漫长的一夜",
      title: "旧灯塔与漫长的一夜",
      synopsis: "守塔人每天夜里都把天气写在一本蓝色的本子里。",
      tags: ["灯塔"],
      images: ["f3", "lost"],
      videos: ["film"],
      audio: ["sound"],
      body: body("chinese"),
    },
    { id: "undated", title: "Without a date", published_at: null, images: ["lost"] },
  ],
  galleries: [
    { id: "forty", title: "Forty pictures of one harbour", images: forty.map(({ id }) => id) },
    { id: "one", title: longTitle, images: ["portrait"], videos: ["film"], audio: ["sound"] },
    { id: "none", title: "An empty gallery" },
  ],
};

/** All pages but most of the forty pictures, which are alike; the 404 page's links start at a host's root. */
export function pagesOfHardCases(paths: readonly string[]): string[] {
  return paths.filter((path) => path.endsWith(".html") && !/^404|^images\/f(?!1\.|5\.)/.test(path));
}

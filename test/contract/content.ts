/**
 * What the origins of the contract hold: few things, named so that a row can speak of them. Articles are trees in the
 * order of the alphabet, the latest first, so that "alder birch cedar" is the top of the list.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import sharp, { type Sharp } from "sharp";

/** Slug, time of publication, category (the first topic) and tags (all topics). */
const articles = `
alder    2024-05-20T10:00Z coasts tree water
birch    2024-05-12T10:00Z gardens tree
cedar    2024-05-03T10:00Z woods tree
dogwood  2024-04-18T10:00Z gardens tree
elm      2024-02-02T10:00Z coasts tree
fir      2023-12-31T20:00Z woods tree
ginkgo   2023-11-05T10:00Z gardens tree
hazel    2023-09-09T10:00Z woods tree fruit
ivy      2023-06-01T10:00Z woods
juniper  2023-05-15T10:00Z woods tree
kauri    2023-05-05T10:00Z coasts tree
larch    2023-03-10T10:00Z woods tree
maple    2023-01-10T10:00Z gardens tree
nutmeg   2022-12-10T10:00Z gardens tree fruit water
oak      2022-11-10T10:00Z woods tree
pine     2022-10-10T10:00Z woods tree
quince   2022-09-10T10:00Z gardens tree fruit
rowan    2022-08-10T10:00Z woods tree
spruce   2022-07-10T10:00Z woods tree
teak     2022-06-10T10:00Z coasts tree
umbrella 2022-05-10T10:00Z coasts tree
viburnum 2022-04-10T10:00Z gardens tree
willow   2022-03-10T10:00Z woods tree water
yew      2022-02-10T10:00Z woods tree
`;

const galleries = [
  {
    title: "Trees",
    slug: "trees",
    date: "2024-05-10T10:00:00Z",
    images: ["wide.jpg", "tall.jpg", "small.jpg"],
  },
  {
    title: "Plates",
    slug: "plates",
    date: "2023-05-10T10:00:00Z",
    images: ["plate1.jpg", "plate2.jpg"],
  },
  { title: "Nothing", slug: "nothing", date: "2022-05-10T10:00:00Z", images: [] },
];

type Direction = "across" | "down";

/** Three equal stripes, red, green and blue: where they end tells how an image was scaled and cut. */
function striped(width: number, height: number, direction: Direction): Sharp {
  const raw = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at++) {
    const share = direction === "across" ? (at % width) / width : Math.floor(at / width) / height;
    raw[at * 3 + Math.floor(share * 3)] = 255;
  }
  return sharp(raw, { raw: { width, height, channels: 3 } });
}

const images: Record<string, () => Sharp> = {
  "wide.jpg": () => striped(4000, 3000, "across").jpeg({ quality: 90 }),
  "tall.jpg": () => striped(900, 1600, "down").jpeg({ quality: 90 }),
  "small.jpg": () => striped(200, 150, "across").jpeg({ quality: 90 }),
  // Stored lying on its side; its EXIF data say to turn it.
  "turned.jpg": () => striped(800, 600, "across").withMetadata({ orientation: 6 }).jpeg(),
  "logo.png": () => striped(500, 500, "across").ensureAlpha(0.5).png(),
  "private/hidden.jpg": () => striped(400, 300, "across").jpeg(),
};
for (const number of "123456") {
  images[`plate${number}.jpg`] = () => striped(640, 480, "across").jpeg();
}

/** Files that are only handed on: what they hold is nobody's business but their reader's. */
const files = {
  "film.webm": Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex"),
  "paper.pdf": Buffer.from("%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n"),
  "sound.wav": Buffer.from("524946462400000057415645666d7420100000000100010044ac0000", "hex"),
};

/** What looks like the marks of a signed link, and is none. */
const prose = `<p><a href="https://shop.example/offer?expires=never&amp;id=3">An offer</a>,
1px;expires=Thu and f(x,&amp;signature=y)</p>`;

/** Writes the content into a folder, in the form that `stillpress demo --content` reads. */
export async function writeContent(folder: string): Promise<void> {
  const lines = articles
    .trim()
    .split("\n")
    .map((line) => {
      const [slug = "", date = "", ...topics] = line.split(/\s+/);
      const title = slug.charAt(0).toUpperCase() + slug.slice(1);
      const html = `<p>The whole story of the ${slug}.</p>${slug === "birch" ? prose : ""}`;
      const summary = `About the ${slug}`;
      return JSON.stringify({
        title,
        slug,
        summary,
        date: date.replace("Z", ":00Z"),
        topics,
        html,
      });
    });
  const write = (path: string, bytes: Buffer | string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  };
  write("articles.ndjson", lines.join("\n"));
  write("galleries.json", JSON.stringify(galleries));
  for (const [path, bytes] of Object.entries(files)) write(path, bytes);
  for (const [path, image] of Object.entries(images)) write(path, await image().toBuffer());
  write("torn.jpg", contentFile(folder, "tall.jpg").subarray(0, 6_000));
}

/** The bytes of one of its files. */
export function contentFile(folder: string, path: string): Buffer {
  return readFileSync(join(folder, path));
}

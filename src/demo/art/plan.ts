import { type Dice, dice } from "../../lib/random.ts";
import { magazine } from "../magazine.ts";

type Hour = "dawn" | "day" | "dusk" | "night";

/** Colours as #rrggbb: the sky from the top to the horizon, far and near land, sun or moon. */
export type SkyPalette = ReturnType<typeof sky>;

function sky(hour: Hour, colours: string) {
  const all = colours.split(" ").map((hex) => `#${hex}`);
  const [far = "", near = "", light = ""] = all.slice(4);
  return { hour, sky: all.slice(0, 4), far, near, light };
}

const skyPalettes: readonly SkyPalette[] = [
  sky("dawn", "4a5a8f 9486b8 e9aaa4 fddcb9 cf9fae 2a2647 fff3dc"),
  sky("dusk", "35305a 84506f dd7a5f fbc07c cf7f6d 241a30 ffe6b0"),
  sky("day", "3a7db5 79b1d6 bcdbe8 f1f5ee a8c7d8 1b3a4e ffffff"),
  sky("dawn", "8aa6a6 b0c5c0 d5ddd2 f1ecdd b7c7bf 284545 fffaec"),
  sky("night", "070b1f 121b40 283c70 52719b 3d5685 070b1a f6f2df"),
  sky("night", "04101b 0a2a3a 146164 66bda0 236468 031117 f1fbf0"),
  sky("day", "e4a544 f0c266 f8dc98 fef2d2 e0a65a 55291a fffbf0"),
  sky("dusk", "1e1022 4f1c30 a63632 f2853f 823236 140a12 ffd88a"),
];

export const pictureKinds = ["hills", "lake"] as const;

/**
 * Everything about a picture but its pixels; the same plan gives the same bytes. Width and height are those of the
 * upright picture. EXIF orientation: 1 upright, 6 or 8 stored turned by a quarter.
 */
export type PicturePlan = ReturnType<typeof planPictures>[number];

const ratios = [3 / 2, 3 / 2, 16 / 9, 16 / 9, 4 / 3, 1, 2 / 3, 3 / 4];
const longEdges = [800, 900, 960, 1080];

export function planPictures(count: number, seed: number) {
  return Array.from({ length: count }, (_, index) => {
    const throws = dice(seed, index, 51);
    const kind = throws.pick(pictureKinds);
    const palette = throws.pick(skyPalettes);
    const ratio = throws.pick(ratios);
    const long = index % 23 === 11 ? 300 : index % 61 === 5 ? 2000 : throws.pick(longEdges);
    return {
      kind,
      seed: throws.roll(2 ** 31),
      ...wordsOf(kind, palette, throws),
      width: Math.round(ratio >= 1 ? long : long * ratio),
      height: Math.round(ratio >= 1 ? long / ratio : long),
      orientation: index % 40 === 19 ? throws.pick([6, 8] as const) : 1,
      palette,
    };
  });
}

const { subjects, people, places, licences, directions, times } = magazine.pictures;

function wordsOf(kind: keyof typeof subjects, { hour }: SkyPalette, throws: Dice) {
  const { names, remarks } = subjects[kind];
  const [name, photographer, location] = [names, people, places].map((some) => throws.pick(some));
  const direction = throws.pick(directions);
  const time = throws.pick(times[hour]);
  const title = throws.pick([
    `${name} ${time}, ${direction}`,
    `${name} near ${location}`,
    `${name}, ${location}, ${time}`,
  ]);
  const caption = `${name} near ${location} ${time}, ${direction}. ${throws.pick(remarks)}`;
  const meta = { photographer, location, licence: throws.pick(licences), medium: "Photograph" };
  return { title, caption, meta: meta as Record<string, string> };
}

import { type Dice, dice } from "../../lib/random.ts";

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

const list = (text: string): string[] => text.split(" | ");

const subjects = {
  hills: {
    names: list("Ridge line | Seven ridges | The border range | Blue hills | The western valleys"),
    remarks: list("The farthest range is sixty kilometres away. | The wind will turn by noon."),
  },
  lake: {
    names: list("Still water | The reservoir | Mountain lake | Reflections | North shore"),
    remarks: list("No boats are allowed before April. | The light holds for a few minutes."),
  },
};

const people = list("Ilse Köhler | Tomás Herrera | Maren Østby | Noor El Amrani | Piotr Zieliński");
const places = list(
  "Aldervik | Port Sennan | Val d'Orsine | Karstadal | Monte Brenna | Lake Ihala",
);
const licences = list("CC BY 4.0 | CC BY-SA 4.0 | All rights reserved | CC0 1.0");
const directions = list("looking east | from the north side | seen from the road | from above");
const times: Record<Hour, string[]> = {
  dawn: list("before sunrise | at first light | early in the morning | as the fog lifts"),
  day: list("around noon | on a clear afternoon | under a high sun | late in the morning"),
  dusk: list("at sunset | in the last light | just after sunset | on an evening in September"),
  night: list("by moonlight | two hours after midnight | under the stars | on a still night"),
};

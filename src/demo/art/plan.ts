import { type Dice, dice } from "../random.ts";
import { flatPalettes, type Hour, skyPalettes } from "./palettes.ts";

/** What a picture shows; each kind has a painter of its own. */
export const pictureKinds = ["hills", "lake", "pattern"] as const;
export type PictureKind = (typeof pictureKinds)[number];

/** Everything about a picture but its pixels; the same plan gives the same bytes. */
export interface PicturePlan {
  kind: PictureKind;
  seed: number;
  title: string;
  caption: string;
  /** Pixels, as a viewer that follows `orientation` shows them. */
  width: number;
  height: number;
  /** EXIF orientation: 1 upright, 6 or 8 stored turned by a quarter. */
  orientation: 1 | 6 | 8;
  /** Index of the palette. */
  palette: number;
  /** Photographer or illustrator, licence and such, by name. */
  meta: Record<string, string>;
}

const ratios = [3 / 2, 3 / 2, 16 / 9, 16 / 9, 4 / 3, 1, 2 / 3, 3 / 4];
const longEdges = [800, 900, 960, 1080];

/** Plan of the picture at `index` (from 0) of a seed. */
function planPicture(index: number, seed: number): PicturePlan {
  const throws = dice(seed, index, 51);
  const kind = throws.pick(pictureKinds);
  const flat = kind === "pattern";
  const palette = throws.roll(flat ? flatPalettes.length : skyPalettes.length);
  const ratio = throws.pick(ratios);
  const long = index % 23 === 11 ? 300 : index % 61 === 5 ? 2000 : throws.pick(longEdges);
  const words = flat ? illustrated(throws) : photographed(throws, kind, palette);
  return {
    kind,
    seed: throws.roll(2 ** 31),
    ...words,
    width: Math.round(ratio >= 1 ? long : long * ratio),
    height: Math.round(ratio >= 1 ? long / ratio : long),
    orientation: index % 40 === 19 ? throws.pick([6, 8] as const) : 1,
    palette,
  };
}

/** Plans of the first `count` pictures of a seed. */
export function planPictures(count: number, seed: number): PicturePlan[] {
  return Array.from({ length: count }, (_, index) => planPicture(index, seed));
}

type Words = Pick<PicturePlan, "title" | "caption" | "meta">;

function photographed(throws: Dice, kind: PictureKind, palette: number): Words {
  const { names, remarks } = subjects[kind];
  const [name, place] = [throws.pick(names), throws.pick(places)];
  const direction = throws.pick(directions);
  const time = throws.pick(times[skyPalettes[palette]?.hour ?? "day"]);
  const title = throws.pick([
    `${name} ${time}, ${direction}`,
    `${name} near ${place}`,
    `${name}, ${place}, ${time}`,
  ]);
  const meta = {
    photographer: throws.pick(people),
    location: place,
    licence: throws.pick(licences),
  };
  const caption = `${name} near ${place} ${time}, ${direction}. ${throws.pick(remarks)}`;
  return { title, caption, meta: { ...meta, medium: "Photograph" } };
}

function illustrated(throws: Dice): Words {
  const { names, remarks } = subjects.pattern;
  const [name, person] = [throws.pick(names), throws.pick(people)];
  const number = 1 + throws.roll(24);
  const title = throws.pick([`${name} no. ${number}`, `${name}, ${throws.pick(versions)}`]);
  const meta = { illustrator: person, licence: throws.pick(licences), edition: `${number} of 24` };
  const caption = `${name}: illustration by ${person}. ${throws.pick(remarks)}`;
  return { title, caption, meta: { ...meta, medium: "Digital illustration" } };
}

const list = (text: string): string[] => text.split(" | ");

const subjects: Record<PictureKind, { names: string[]; remarks: string[] }> = {
  hills: {
    names: list("Ridge line | Seven ridges | The border range | Blue hills | The western valleys"),
    remarks: list("The farthest range is sixty kilometres away. | The wind will turn by noon."),
  },
  lake: {
    names: list("Still water | The reservoir | Mountain lake | Reflections | North shore"),
    remarks: list("No boats are allowed before April. | The reflection holds for a few minutes."),
  },
  pattern: {
    names: list("Tiles | Quarter circles | Pattern | Composition | Cover study"),
    remarks: list("The original hangs in the reading room. | Four colours, two of them mixed."),
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
const versions = list("second version | for the weekend pages | a study | after a sketch | large");

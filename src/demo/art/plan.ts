import { type Dice, dice } from "../random.ts";
import { flatPalettes, type Hour, skyPalettes } from "./palettes.ts";

/** What a picture shows; each kind has a painter of its own. */
export const pictureKinds = ["hills", "lake", "forest", "city", "botanical", "grid"] as const;
export type PictureKind = (typeof pictureKinds)[number];

/** Everything about a picture but its pixels; the same plan gives the same bytes. */
export interface PicturePlan {
  kind: PictureKind;
  seed: number;
  title: string;
  caption: string;
  /** Size in pixels as a viewer that follows `orientation` shows it. */
  width: number;
  height: number;
  /** EXIF orientation: 1 upright, 6 or 8 stored turned by a quarter. */
  orientation: 1 | 6 | 8;
  /** Number of the palette. */
  palette: number;
  /** Photographer or illustrator, licence and such, by name. */
  meta: Record<string, string>;
  format: "jpeg";
}

/** Two landscapes to one illustration. */
const kinds: readonly PictureKind[] = [
  ...["hills", "lake", "forest", "city", "hills", "lake", "forest"],
  ...["city", "botanical", "grid", "botanical", "grid"],
] as PictureKind[];

const ratios = [3 / 2, 3 / 2, 16 / 9, 16 / 9, 4 / 3, 1, 2 / 3, 3 / 4];
const longEdges = [1200, 1200, 1280, 1280, 1400, 1500, 1600, 1800];

/** Plan of the picture at `index` (from 0) of a seed. */
export function planPicture(index: number, seed: number): PicturePlan {
  const throws = dice(seed, index, 51);
  const kind = kinds[(index * 5 + throws.roll(3)) % kinds.length] as PictureKind;
  const flat = kind === "botanical" || kind === "grid";
  const palette = throws.roll(flat ? flatPalettes.length : skyPalettes.length);
  const ratio = throws.pick(ratios);
  const long = index % 23 === 11 ? 300 : index % 37 === 5 ? 2600 : throws.pick(longEdges);
  const words = flat ? illustrated(throws, kind) : photographed(throws, kind, palette);
  return {
    kind,
    seed: throws.roll(2 ** 31),
    ...words,
    width: Math.round(ratio >= 1 ? long : long * ratio),
    height: Math.round(ratio >= 1 ? long / ratio : long),
    orientation: index % 40 === 19 ? throws.pick([6, 8] as const) : 1,
    palette,
    format: "jpeg",
  };
}

/** Plans of the first `count` pictures of a seed. */
export function planPictures(count: number, seed: number): PicturePlan[] {
  return Array.from({ length: count }, (_, index) => planPicture(index, seed));
}

type Words = Pick<PicturePlan, "title" | "caption" | "meta">;

function photographed(throws: Dice, kind: PictureKind, palette: number): Words {
  const { names, remarks } = subjects[kind];
  const [name, place, direction] = [
    throws.pick(names),
    throws.pick(places),
    throws.pick(directions),
  ];
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

function illustrated(throws: Dice, kind: PictureKind): Words {
  const { names, remarks } = subjects[kind];
  const [name, person] = [throws.pick(names), throws.pick(people)];
  const number = 1 + throws.roll(24);
  const title = throws.pick([`${name} no. ${number}`, `${name}, ${throws.pick(versions)}`]);
  const meta = { illustrator: person, licence: throws.pick(licences), edition: `${number} of 24` };
  const caption = `${name}: illustration by ${person}. ${throws.pick(remarks)}`;
  return { title, caption, meta: { ...meta, medium: "Digital illustration" } };
}

const subjects: Record<PictureKind, { names: readonly string[]; remarks: readonly string[] }> = {
  hills: {
    names: ["Ridge line", "Seven ridges", "The border range", "Blue hills", "The western valleys"],
    remarks: [
      "The farthest range lies some sixty kilometres away.",
      "Mist stays in the valleys until the wind turns.",
      "The old smugglers' path follows the second ridge.",
    ],
  },
  lake: {
    names: ["Still water", "The reservoir", "Mountain lake", "Reflections", "North shore"],
    remarks: [
      "The water level is two metres below that of last year.",
      "No boats are allowed between October and April.",
      "The reflection holds for a few minutes only.",
    ],
  },
  forest: {
    names: ["Spruce and fog", "The upper forest", "Old plantation", "Tree line", "Silent wood"],
    remarks: [
      "The trees in front were planted in 1968.",
      "A storm opened the clearing two winters ago.",
      "Foresters count the young firs here every spring.",
    ],
  },
  city: {
    names: ["Harbour quarter", "Roofs", "The old town", "Upper storeys", "Street lights"],
    remarks: [
      "The tower in the second row has been empty for years.",
      "Seen from the roof of the covered market.",
      "The power cut of March began in this quarter.",
    ],
  },
  botanical: {
    names: ["Hedgerow", "Herbarium sheet", "Meadow edge", "Kitchen herbs", "Garden plan"],
    remarks: [
      "Drawn for the calendar of the botanic garden.",
      "The leaves are those of the ash, the colours are not.",
      "Printed on the cover of the summer number.",
    ],
  },
  grid: {
    names: ["Tiles", "Quarter circles", "Pattern", "Composition", "Cover study"],
    remarks: [
      "Made for the programme of the music school.",
      "Four colours, two of them printed on top of each other.",
      "The original hangs in the reading room.",
    ],
  },
};

const people = [
  ...["Ilse Köhler", "Tomás Herrera", "Maren Østby", "Noor El Amrani", "Piotr Zieliński"],
  ...["Claire Dufrêne", "Hana Mori", "Samuel Okoro", "Bríd Ní Cheallaigh", "Owen Prys"],
];
const places = [
  ...["Aldervik", "Port Sennan", "Val d'Orsine", "Karstadal", "Monte Brenna", "Haukenes"],
  ...["Sankt Veitl", "Cala Rovira", "Tressaint", "Upper Morrow", "Brannoch", "Lake Ihala"],
];
const licences = ["CC BY 4.0", "CC BY 4.0", "CC BY-SA 4.0", "All rights reserved", "CC0 1.0"];
const directions = ["looking east", "from the north side", "seen from the road", "from above"];
const times: Record<Hour, readonly string[]> = {
  dawn: ["before sunrise", "at first light", "early in the morning", "as the fog lifts"],
  day: ["around noon", "on a clear afternoon", "under a high sun", "late in the morning"],
  dusk: ["at sunset", "in the last light", "just after sunset", "on an evening in September"],
  night: ["by moonlight", "two hours after midnight", "under the stars", "on a still night"],
};
const versions = ["second version", "for the weekend pages", "a study", "after a sketch", "large"];

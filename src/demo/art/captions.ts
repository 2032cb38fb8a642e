import type { Hour } from "./palettes.ts";
import type { Random } from "./random.ts";
import { mediums, type PictureKind, subjects } from "./subjects.ts";
import {
  directions,
  licences,
  people,
  places,
  posterKinds,
  posterWords,
  times,
  versions,
} from "./vocabulary.ts";

/** Words that go with a picture. */
export interface PictureText {
  title: string;
  caption: string;
  meta: Record<string, string>;
  /** Capital letters drawn on a poster; empty for everything else. */
  lettering: string;
}

/** Title, caption and details of a picture of this kind; `hour` matters to landscapes only. */
export function writeText(random: Random, kind: PictureKind, hour: Hour | undefined): PictureText {
  const person = random.pick(people);
  const place = random.pick(places);
  const licence = random.pick(licences);
  if (kind === "poster") {
    const lettering = random.pick(posterWords);
    const word = lettering.charAt(0) + lettering.slice(1).toLowerCase();
    const purpose = random.pick(posterKinds);
    const title = `“${word}”, ${purpose.charAt(0).toLowerCase()}${purpose.slice(1)}`;
    const caption = `${purpose} in ${place}: the word “${word}”. Lettering drawn by ${person}.`;
    return {
      title,
      caption,
      lettering,
      meta: { illustrator: person, location: place, licence, medium: "Screen print" },
    };
  }
  const [names, remarks] = subjects[kind];
  const name = random.pick(names);
  if (hour === undefined) {
    const number = random.int(1, 24);
    const title = random.pick([name, `${name} no. ${number}`, `${name}, ${random.pick(versions)}`]);
    const caption = `${name}: illustration by ${person}. ${random.pick(remarks)}`;
    return {
      title,
      caption,
      lettering: "",
      meta: {
        illustrator: person,
        licence,
        medium: mediums[kind] ?? "Digital illustration",
        edition: `${number} of 24`,
      },
    };
  }
  const time = random.pick(times[hour]);
  const direction = random.pick(directions);
  const title = random.pick([
    `${name} ${time}, ${direction}`,
    `${name} ${time}`,
    `${name} near ${place}`,
    `${name}, ${place}, ${time}`,
  ]);
  const caption = `${name} near ${place} ${time}, ${direction}. ${random.pick(remarks)}`;
  return {
    title,
    caption,
    lettering: "",
    meta: {
      photographer: person,
      location: place,
      licence,
      medium: random.pick(["Photograph", "Photograph", "Photograph on film"]),
    },
  };
}

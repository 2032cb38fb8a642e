import type { Hour } from "./palettes.ts";

/** Names of photographers and illustrators; all invented. */
export const people = [
  "Ilse Köhler",
  "Tomás Herrera",
  "Maren Østby",
  "Ada Lindqvist",
  "Jonas Reiter",
  "Noor El Amrani",
  "Piotr Zieliński",
  "Claire Dufrêne",
  "Hana Mori",
  "Samuel Okoro",
  "Bríd Ní Cheallaigh",
  "Luca Ferrante",
  "Greta Vaitkutė",
  "Owen Prys",
  "Inês Carvalho",
  "Mateus Rocha",
];

/** Names of places; all invented. */
export const places = [
  "Aldervik",
  "Port Sennan",
  "Val d'Orsine",
  "Karstadal",
  "Monte Brenna",
  "Lower Fennick",
  "Haukenes",
  "Sankt Veitl",
  "Cala Rovira",
  "Tressaint",
  "Upper Morrow",
  "Ostergrund",
  "Quinta do Vale",
  "Brannoch",
  "Lake Ihala",
  "Sierra Alcor",
];

/** Licences of pictures, the common ones more than once. */
export const licences = [
  "CC BY 4.0",
  "CC BY 4.0",
  "CC BY-SA 4.0",
  "All rights reserved",
  "Editorial use only",
  "CC0 1.0",
];

/** Where a landscape is seen from or to; continues a sentence. */
export const directions = [
  "looking east",
  "from the north side",
  "looking towards the pass",
  "seen from the road",
  "from the western side",
  "looking south-west",
  "from above the village",
  "in the direction of the border",
];

/** Time of day in words that follow the name of a subject. */
export const times: Record<Hour, readonly string[]> = {
  dawn: ["before sunrise", "at first light", "early in the morning", "as the fog lifts"],
  day: ["around noon", "on a clear afternoon", "under a high sun", "late in the morning"],
  dusk: ["at sunset", "in the last light", "just after sunset", "on an evening in September"],
  night: ["by moonlight", "two hours after midnight", "under the stars", "on a night without wind"],
};

/** Words drawn on posters, in letters the stroke alphabet has. */
export const posterWords = [
  "SLOW",
  "TIDE",
  "NORTH",
  "OPEN",
  "HOME",
  "WATER",
  "AFTER RAIN",
  "NIGHT BUS",
  "ECHO",
  "PAPER",
  "1972",
  "WINTER",
  "FIELD",
  "BREAD",
  "RADIO",
  "LIGHT",
  "QUIET",
  "DEEP SEA",
  "SUMMER",
  "KIOSK",
  "MAPS",
  "JAZZ",
  "FORM",
  "OFF GRID",
];

/** What a poster was made for; begins a sentence. */
export const posterKinds = [
  "Poster for a reading evening",
  "Season poster",
  "Exhibition poster",
  "Second state of a festival poster",
  "Poster for the reopening",
  "Proof of a poster for a matinee",
];

/** What tells two versions of a composition apart; follows its name. */
export const versions = [
  "in four colours",
  "second version",
  "for the weekend pages",
  "a study",
  "after a sketch",
  "large format",
];

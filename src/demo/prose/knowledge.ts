import type { Subject } from "./subject.ts";

/** Subjects of science, history and walking. */
export const knowledge: readonly Subject[] = [
  {
    category: "science",
    tags: ["lichens", "citizen-science", "schools"],
    titles: [
      "Reading the air from the lichens of {place}",
      "Grey, green, gold: the churchyard of {place}",
      "A slow clock on the walls of {place}",
      "The lichen survey of {place}",
    ],
    synopses: [
      "They grow a millimetre a year and cannot look away. {person} reads them like a register.",
      "How clean is the air? A class of children, a magnifying glass and a churchyard know.",
    ],
    openings: [
      "The oldest inhabitant of {place} is orange, about the size of a plate, and lives on the north side of the church. {person} puts its age at four hundred years, give or take a war.",
      "You need a lens, a knee pad, and the readiness to be taken for somebody who has lost a key. Then the walls of {place} begin to look like maps.",
    ],
    paragraphs: [
      "A lichen is a fungus that keeps algae, as one keeps bees. It has no skin to speak of. Whatever is in the air is soon in the lichen, and each kind has its own idea of how much is too much.",
      "When coal was burned here only the grey crusts were left. The bushy kinds, those that hang from twigs like beards, retreated up the valleys; {years} years after the last chimney they are on the apple trees of the rectory.",
      "Now it is ammonia that counts. The golden kind likes it, and follows the slurry tanks down the lanes as a stain follows a leak.",
      "Gravestones carry dates, and so they are a laboratory. Measure the largest patch on {number} stones, plot it against the year, and you have a clock that runs backwards.",
      "The children are better at it than the adults. They are closer to the ground, they do not mind naming things, and in {season} they do not notice the cold.",
    ],
    headings: ["As one keeps bees", "A clock that runs backwards"],
    quotes: [
      "It is not moss. I will be buried under a stone that says so.",
      "Everything else in this village can be persuaded. A lichen just reports.",
    ],
    list: {
      lead: "Three to begin with:",
      items: [
        "<strong>Xanthoria</strong>, gold: there is nitrogen about",
        "<strong>Parmelia</strong>, grey-green leaves: fair",
        "<strong>Usnea</strong>, a beard: breathe in",
      ],
    },
    table: {
      caption: "Kinds found per tree",
      head: ["Place", "1988", "2004", "2021"],
      rows: [
        ["Churchyard", "3", "8", "14"],
        ["Bypass", "2", "4", "4"],
        ["Rectory", "5", "11", "19"],
      ],
    },
    code: {
      lead: "For those who want to try it, the growth curve is a single line:",
      text: "age = (diameter_mm - 1.5) / 0.46   # years; ±12 % if diameter_mm > 40 && !shaded",
    },
  },
  {
    category: "history",
    tags: ["maps", "archives", "tides", "villages"],
    titles: [
      "The drowned street of {place}",
      "A map that was right about {place}",
      "Where the old harbour of {place} went",
      "Walking to church below {place}",
    ],
    synopses: [
      "For two hours, twice a year, you can walk down a street that the sea took in 1703.",
      "The surveyor was thought to have invented a village. {person} has found its doorsteps.",
    ],
    openings: [
      "Twice a year the tide at {place} goes out further than it should. Then there is a line of stones in the sand, and beside it another, and between them the width of a cart.",
      "For two centuries the map of {place} was kept as an example of how wrong a map can be.",
    ],
    paragraphs: [
      "The surveyor drew forty houses, a chapel and an inn, half a mile beyond the present shore. Later hands wrote <em>fancy</em> across them, and one wrote <em>drink</em>.",
      "What {person} found first was a doorstep: one stone, hollowed in the middle by feet. A street has a lot of doorsteps. By the end of {season} there were {number} on the plan.",
      "Nobody drowned, as far as the registers tell. The sea came in over {years} years, a garden at a time, and the people carried their roof beams inland. Some of those beams can still be seen in the barn on the hill, with the wrong mortises.",
      "The chapel bell is supposed to ring under water. It was in fact sold to pay for the new road, and rings on weekdays at a school forty miles away.",
      "Between the walls the mud has kept what it was given: leather, cherry stones, a child’s wooden horse with three legs and a good deal of dignity.",
    ],
    headings: ["Fancy, or drink", "A street has a lot of doorsteps"],
    quotes: [
      "You stand in somebody’s kitchen and look at your watch, because the water is coming back.",
      "The map was never wrong. It was only late.",
    ],
    list: {
      lead: "How the street was found again:",
      items: [
        "the map, turned by eleven degrees",
        "a fisherman’s list of places where nets catch",
        "photographs from a kite",
        "one very low tide, and thirty people with bamboo canes",
      ],
    },
    table: {
      caption: "The village in the registers",
      head: ["Year", "Houses", "Hearths taxed"],
      rows: [
        ["1664", "43", "61"],
        ["1690", "31", "40"],
        ["1703", "6", "6"],
        ["1711", "0", "1"],
      ],
    },
  },
  {
    category: "walks",
    tags: ["walking", "rivers", "summer", "villages"],
    titles: [
      "A slow walk from {place} to the sea",
      "The ferryman’s path at {place}",
      "Round {place} in five hours and two pies",
      "Three bridges and a ford near {place}",
    ],
    synopses: [
      "Eleven kilometres, mostly level, with one honest hill and a bench at the right moment.",
      "The path is older than the parish. {person} walks it every week with a pair of shears.",
    ],
    openings: [
      "Leave {place} by the lane beside the baker’s, and do not leave it without something from the baker’s.",
      "The path begins at {place} as a gap between two garages, which is a way of keeping out people who are in a hurry.",
    ],
    paragraphs: [
      "The first half hour follows the mill stream, under alders, with the water on your left talking to itself. After rain there is a choice of stepping stones or wet feet, and in practice it is both.",
      "At the top of the honest hill somebody has put a bench in memory of a dog. The view from it takes in {number} church towers on a clear day in {season}, or none, or your own sandwich.",
      "Beyond the second bridge the path was lost for {years} years, ploughed and then forgotten. {person} found it again with an old map and a machete, in that order.",
      "The ford is no deeper than a boot when the marker post shows its white ring. If the ring is under water, go round by the road and be late.",
      "You smell the sea before the last bend. There is a pub, which closes at three, and a bus, which does not wait.",
    ],
    headings: ["The honest hill", "When the white ring is under water"],
    quotes: [
      "A path is only a habit. If nobody has it any more, it is a field.",
      "I cut back the left side going and the right side coming home. It takes about a year.",
    ],
    list: {
      lead: "On the way:",
      items: [
        "0 km: the baker’s",
        "2.5 km: first bridge, kingfishers if you are quiet",
        "5 km: the bench",
        "8 km: the ford",
        "11 km: the sea",
      ],
    },
    table: {
      caption: "At a glance",
      head: ["", "Path", "Road"],
      rows: [
        ["Length", "11 km", "9 km"],
        ["Climb", "140 m", "90 m"],
        ["Time", "5 hours", "not recommended"],
      ],
    },
  },
  {
    category: "history",
    tags: ["mills", "tides", "engineering", "restoration"],
    titles: [
      "The mill at {place} runs on the moon",
      "Grinding at low water in {place}",
      "A new wheel for {place}",
      "The miller of {place} keeps odd hours",
    ],
    synopses: [
      "Twice a day the sea fills the pond, twice a day it leaves through the wheel. {person} keeps its hours.",
      "Elm, iron and a great deal of tallow: a tide mill is put back to work.",
    ],
    openings: [
      "The miller of {place} gets up fifty minutes later every day. After a month she is back where she began, and slightly surprised.",
      "There is no stream at {place}. What drives the mill is the moon, with the sea as a kind of belt.",
    ],
    paragraphs: [
      "A gate in the dam opens by itself when the tide comes in, and closes by itself when it goes out. Behind it stands a pond of sea water that can leave only through the wheel.",
      "That gives about four hours of work in every tide. For {years} years the ledger lists the hours of grinding, and one can tell the phase of the moon from the price of flour.",
      "The new wheel is of elm below the water and oak above it. It has {number} pegs and not one nail, since salt eats iron and the wood was felled in {season}, when it shrinks least.",
      "Each stone weighs a ton and rides on a film of grain as thin as paper. If the grain runs out the stones touch, and the smell of that is the smell that millers dream about.",
      "The flour is sold at the door, coarse and a little warm. The baker says it keeps the dough awake.",
    ],
    headings: ["The moon, with the sea as a belt", "Elm below, oak above"],
    quotes: [
      "People ask what happens when there is no wind. I tell them the sea has never not come.",
      "It makes every sound a ship makes, except the one of arriving.",
    ],
    list: {
      lead: "The mill’s day:",
      items: [
        "high water: the gate shuts itself",
        "two hours later: the wheel is free, start slowly",
        "low water: full work",
        "the tide turns: lift the stones, sweep, sleep",
      ],
    },
    table: {
      caption: "Output of one tide",
      head: ["Tide", "Hours", "Flour"],
      rows: [
        ["Spring", "5", "310 kg"],
        ["Mean", "4", "220 kg"],
        ["Neap", "2½", "90 kg"],
      ],
    },
  },
];

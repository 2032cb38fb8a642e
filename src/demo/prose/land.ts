import type { Subject } from "./subject.ts";

/** Subjects of wildlife, the hills and the sky. */
export const land: readonly Subject[] = [
  {
    category: "nature",
    tags: ["birds", "swifts", "summer"],
    titles: [
      "The swifts of {place} are late this year",
      "Sixty boxes for the swifts of {place}",
      "Under the eaves at {place}",
      "One hundred days with the swifts of {place}",
    ],
    synopses: [
      "They stay for a hundred days and never once land on the ground. {person} built them a street of their own.",
      "A bell tower, a bag of sawdust and a recording: how to invite a bird that does not know you.",
    ],
    openings: [
      "Nobody at {place} needs a calendar for the eighth of May. In the evening somebody looks up, and then everybody is standing in the street.",
      "A swift that falls silent over {place} at the end of July will be above the Congo three weeks later. It will not have sat down in between.",
    ],
    paragraphs: [
      "Swifts eat, sleep and gather their nests in the air. They come to a building for one purpose, through a slot no bigger than a letter box, and when a roof is repaired well the slot is gone.",
      "The boxes are made of plywood and have a floor with a shallow dish in it. {person} sawed {number} of those dishes last winter and says that the sound of the router is now the sound of January.",
      "To tell the birds that there is room, a loudspeaker plays the screams of a colony at dusk. It feels like cheating, and it works within two summers, or three, or not at all.",
      "The young hang from the entrance for days and look. Then one morning they let go. Nobody shows them where Africa is.",
      "The count after {years} years: twenty-six pairs where there had been four. The council has since written the boxes into its rules for new roofs.",
    ],
    headings: ["A slot the size of a letter box", "Letting go"],
    quotes: [
      "You give them a hole in a wall, and they give you the whole sky back.",
      "I used to think the street was quiet. It was only empty.",
    ],
    list: {
      lead: "If you want to put up a box:",
      items: [
        "at least five metres above the ground, with a clear drop below",
        "on the north or east side, where it stays cool",
        "under the eaves, never above a flat roof",
        "and then leave it alone",
      ],
    },
    table: {
      caption: "Pairs and fledged young",
      head: ["Summer", "Pairs", "Young"],
      rows: [
        ["first", "4", "7"],
        ["second", "9", "15"],
        ["third", "17", "31"],
        ["fourth", "26", "52"],
      ],
    },
  },
  {
    category: "nature",
    tags: ["peat", "climate", "restoration"],
    titles: [
      "Re-wetting the bog above {place}",
      "Seven thousand years of moss at {place}",
      "The slow repair of {place} moss",
      "A bog breathes out at {place}",
    ],
    synopses: [
      "It took forty years to drain the bog and three winters to stop the drains. The moss is in no hurry.",
      "A core of peat as long as a bus holds every summer since the ice. {person} reads it.",
    ],
    openings: [
      "Walk on the bog above {place} and it walks back: a step here lifts a tuft over there, as if somebody were turning in bed.",
      "{person} pushes the rod down with two fingers. One metre, two, five. At seven and a half it stops, on clay, where the ice had been.",
    ],
    paragraphs: [
      "Sphagnum holds twenty times its weight in water and has no roots at all. It grows at the top and dies at the bottom, a millimetre a year, and what it leaves behind is the hill.",
      "The drains were dug by hand, then by plough, with grants for every yard. They made the moor fit for a few more sheep, and for fires.",
      "Blocking them is simple work in terrible weather. A digger on wide tracks scoops peat from one side, turns it over like a pancake, and sits on it. There are {number} such dams now.",
      "After {years} years the water stands within a hand’s breadth of the surface even in {season}, and the river below has stopped running the colour of tea.",
      "Pollen, ash and the dust of three volcanoes lie in the core in their order. A dark band near the top is the railway.",
    ],
    headings: ["A hill made of dead moss", "Turned over like a pancake"],
    quotes: [
      "A bog does not store carbon for our sake. It just never finishes its meals.",
      "My father was paid to dig them and I am paid to fill them. The machine was the same make.",
    ],
    list: {
      lead: "Signs that the water is back:",
      items: [
        "cotton grass, in one season",
        "dragonflies, in two",
        "red and green sphagnum across the old drains, in five",
        "curlews, when they please",
      ],
    },
    table: {
      caption: "Depth of the water table below the surface",
      head: ["Site", "Before", "After"],
      rows: [
        ["North edge", "62 cm", "11 cm"],
        ["Middle", "48 cm", "6 cm"],
        ["Plantation", "97 cm", "40 cm"],
      ],
    },
    code: {
      lead: "The loggers write one line an hour; a dozen lines of script turn them into the figures above:",
      text: 'for site, rows in groupby(readings, key=lambda row: row["site"]):\n    depths = [float(row["depth_cm"]) for row in rows if row["depth_cm"] < "900"]\n    print(f"{site:12} {median(depths):5.1f} cm  (n = {len(depths)})")',
    },
  },
  {
    category: "nature",
    tags: ["otters", "rivers", "night", "citizen-science"],
    titles: [
      "Otters under the bridge at {place}",
      "Following wet footprints through {place}",
      "A night on the river at {place}",
      "The otter map of {place}",
    ],
    synopses: [
      "Nobody saw one for thirty years. Then {person} left a camera running behind the supermarket.",
      "What an otter eats, where it sleeps, and why it always crosses the road in the same place.",
    ],
    openings: [
      "The otter of {place} uses the river as its street and the supermarket’s culvert as its front door. It is seen by the bakers, who are the only others awake.",
      "There is a stone below the bridge at {place} that smells of jasmine tea, {person} says. Others say fish. It is how one otter writes to the next.",
    ],
    paragraphs: [
      "An otter needs about fifteen kilometres of river to itself, and a holt every kilometre or so: a hollow bank, a pile of flood wood, once a boat shed with the door left open.",
      "They vanished with the fish, and the fish vanished with the sheep dip. When the chemicals were banned the river took {years} years to forget them.",
      "The camera takes a picture whenever something warm goes by. Of {number} pictures this {season}, most show ducks, eleven show the same fisherman, and nineteen show an otter going to work.",
      "In a flood they will not swim under a bridge; they walk over it. So there is now a wooden ledge beneath the arches, thirty centimetres wide, and no otter has been run over since.",
      "Cubs stay with the mother for a year. You hear them before anything else: a whistle, like somebody calling a taxi in another town.",
    ],
    headings: ["Jasmine tea, or fish", "A ledge of thirty centimetres"],
    quotes: [
      "I have seen nine in all my life, and I remember what I had for breakfast on each of those days.",
      "It looked at the camera exactly as my cat looks at a closed door.",
    ],
    list: {
      lead: "How to read a river bank:",
      items: [
        "five toes and a drag of the tail: otter",
        "four toes and claws: the neighbour’s dog",
        "a slide, worn smooth: more than one otter",
        "a neat pile of mussel shells: rats, who get the blame for nothing here",
      ],
    },
    table: {
      caption: "Signs found per kilometre",
      head: ["Stretch", "Spring", "Autumn"],
      rows: [
        ["Weir to bridge", "6", "9"],
        ["Bridge to mill", "2", "5"],
        ["Mill to sea", "1", "1"],
      ],
    },
  },
  {
    category: "night-sky",
    tags: ["astronomy", "night", "schools"],
    titles: [
      "{place} switches off its street lamps",
      "How dark is the sky over {place}?",
      "A telescope for everybody at {place}",
      "Counting stars in Orion from {place}",
    ],
    synopses: [
      "One hour, one constellation, and a class of nine-year-olds with torches wrapped in red foil.",
      "The lamps go out at eleven. {person} has measured what came back.",
    ],
    openings: [
      "At eleven the lamps of {place} go out, one street after another, and for a moment everybody who is still outside says the same word.",
      "The darkest place that {person} can reach with a bicycle is the car park above {place}. It has a bench, a bin, and about four thousand stars.",
    ],
    paragraphs: [
      "To say how dark a sky is, you count. Hold a cardboard tube of known length to your eye, point it at ten places, and add up the stars you see. The rest is arithmetic that a nine-year-old can do.",
      "The new lamps point down, are the colour of candles, and cost a third as much to run. The complaint that arrived was about the owls.",
      "From the middle of the town the count was {number} before, and nearly three times as much after. The Milky Way, which nobody under thirty had seen from here, crosses the roof of the library in {season}.",
      "Eyes take twenty minutes to get used to the dark and one second to lose it again. That is why the torches are red, and why the bus driver is asked to park facing the hedge.",
      "After {years} years the register of meteors is the village’s longest novel. It has no plot, and a great many authors.",
    ],
    headings: ["A tube, ten places, and arithmetic", "Lamps the colour of candles"],
    quotes: [
      "We thought we would have to explain what a galaxy is. Mostly we have to explain where the ladder is.",
      "It was there the whole time. We had just left the light on.",
    ],
    list: {
      lead: "For a first night out you need:",
      items: [
        "a coat more than you think",
        "something red to see your feet by",
        "no telescope: lie down instead",
        "tea",
      ],
    },
    table: {
      caption: "Faintest star to be seen",
      head: ["Place", "Magnitude"],
      rows: [
        ["Market square", "4.1"],
        ["School field", "5.2"],
        ["Car park", "6.4"],
      ],
    },
  },
];

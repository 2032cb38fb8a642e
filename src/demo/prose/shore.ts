import type { Subject } from "./subject.ts";

/** Subjects of the coast and of the weather. */
export const shore: readonly Subject[] = [
  {
    category: "coast-and-sea",
    tags: ["kelp", "tides", "citizen-science"],
    titles: [
      "The kelp forest off {place} is growing back",
      "Counting kelp by snorkel at {place}",
      "What the storm left on the beach at {place}",
      "An underwater meadow below {place}",
    ],
    synopses: [
      "Ten years ago the seabed here was bare rock. {person} has been counting stems ever since.",
      "Volunteers, a slate and a borrowed boat: how a village took stock of its kelp.",
    ],
    openings: [
      "At low water on a calm morning you can see the tops of the kelp from the harbour wall at {place}: brown straps, laid flat by the tide, turning all together when it turns.",
      "The first thing {person} does before a dive off {place} is to write the date on a plastic slate with a pencil. The second is to fall backwards out of the boat.",
    ],
    paragraphs: [
      "Kelp is not a plant, though it behaves like one. It holds on to rock with something that looks like a root and takes in nothing through it; everything it needs comes out of the water and the light.",
      "When the urchins took over in the nineties they ate the young stems as fast as they came. Divers called the result a barren, and the name was fair: grey stone, purple spines, and little else down to twelve metres.",
      "Nobody planted anything. The lobster boats agreed to leave the reef alone for {years} years, the lobsters grew large enough to eat urchins, and the forest did the rest.",
      "The count is simple. A tape is laid along the bottom, and every stem within a metre of it is a stroke on the slate. This {season} there were {number} strokes on one tape, the highest number so far.",
      "Herring now spawn on the fronds again. The fishermen noticed before the scientists did, and are not shy about saying so.",
    ],
    headings: ["Bare rock, then brown straps", "A pencil that writes under water"],
    quotes: [
      "You come up with cold hands and one number. Then you do it again next year, and after ten numbers you have a story.",
      "People think of a forest as something you look up at. Here you swim over the roof.",
    ],
    list: {
      lead: "Four kinds are common along this shore, from the tide line down:",
      items: [
        "<strong>dabberlocks</strong>, thin and frilled, where the waves break",
        "<strong>oarweed</strong>, which lies flat at low water",
        "<strong>sugar kelp</strong>, a single crinkled ribbon",
        "<strong>forest kelp</strong>, on stiff stems that stand by themselves",
      ],
    },
    table: {
      caption: "Stems along one 30 m tape",
      head: ["Depth", "First survey", "Last survey"],
      rows: [
        ["3 m", "41", "188"],
        ["6 m", "12", "143"],
        ["9 m", "0", "57"],
        ["12 m", "0", "9"],
      ],
    },
  },
  {
    category: "coast-and-sea",
    tags: ["lighthouse", "seafaring", "engineering", "archives"],
    titles: [
      "The last keeper of the light at {place}",
      "A lamp, a lens and {place}",
      "Why the light at {place} blinks twice",
      "The lens of {place} comes home",
    ],
    synopses: [
      "The light has run by itself for decades. {person} still climbs up to clean it.",
      "A lens of four hundred prisms spent a generation in crates. Now it turns again.",
    ],
    openings: [
      "There are {number} steps in the tower at {place}, and {person} no longer counts them. The lamp at the top is the size of a thumb.",
      "On paper the light at {place} needs nobody. On paper it also has no dust, no spiders and no gulls.",
    ],
    paragraphs: [
      "Every lighthouse has a rhythm of its own, so that a tired sailor can tell one from another. This one gives two flashes, close together, and then counts slowly to thirteen in the dark.",
      "The lens was cut in Paris and came by sea in barrels of treacle, or so it is told. The treacle is in no account book, but each of the prisms was found whole, and nobody has a better explanation.",
      "Before electricity the whole apparatus floated on a bath of mercury and was turned by a falling weight. The keeper wound it up every four hours, like a clock that would drown somebody if it stopped.",
      "What changed the work was not the lamp but the switch. When the light could be lit from the mainland, the last family moved out in {season}, leaving a row of coat hooks at three different heights.",
      "The society that looks after the tower has {years} years of its log books scanned. Most nights say only <em>light good, wind west</em>. A few say a great deal more.",
    ],
    headings: ["A rhythm of its own", "Four hundred prisms"],
    quotes: [
      "A lighthouse is the only building that is meant for people who never come in.",
      "My grandmother dried the washing up there. It was the warmest room on the coast.",
    ],
    list: {
      lead: "What to look for on a visit:",
      items: [
        "the groove that the weight wore into the stairwell",
        "a pane that is newer than the others, replaced after a goose flew into it",
        "the keeper’s height chart, on the door of the oil store",
      ],
    },
    table: {
      caption: "The light through the years",
      head: ["From", "Fuel", "Seen from"],
      rows: [
        ["1841", "Colza oil", "9 miles"],
        ["1878", "Paraffin", "14 miles"],
        ["1936", "Electricity", "18 miles"],
        ["2009", "LED", "15 miles"],
      ],
    },
  },
  {
    category: "weather",
    tags: ["fog", "citizen-science", "maps"],
    titles: [
      "A field guide to the fogs of {place}",
      "Waiting for the fog at {place}",
      "How {place} learned to measure fog",
      "The hundred grey mornings of {place}",
    ],
    synopses: [
      "Sea fog, hill fog, river fog: they arrive differently and smell differently, says {person}.",
      "Fog is a cloud that has sat down. Measuring it takes a post, a lamp and patience.",
    ],
    openings: [
      "Fog comes to {place} from the sea, usually at four in the afternoon, and it comes through the gap between the church and the school as if it had been told to.",
      "{person} keeps a notebook in which nothing is ever seen. Each entry gives the time, and how far away the white posts disappear.",
    ],
    paragraphs: [
      "A fog needs air that is damp and something that is cold. The sea off this coast is cold until August, and the wind from the south has crossed enough warm water to be damp. The two meet at the cliffs.",
      "The posts stand ten metres apart along the old railway. If you can count five of them it is mist; if you can count two it is fog; if you cannot find the first one, you have left the path.",
      "Hill fog is merely cloud from the inside. It has no edge, it does not roll, and sheep pay no attention to it at all.",
      "The notebook now holds {years} years. The mornings with fog have become fewer, by about one in six, and nobody here has decided yet whether to be glad.",
      "Spiders are the best fog collectors. On the morning of the count there were {number} webs on the footbridge, each one strung with water that the forecast had not mentioned.",
    ],
    headings: ["Three fogs, three smells", "Ten metres to the next post"],
    quotes: [
      "The forecast says visibility poor. That is like saying dinner was food.",
      "In fog everybody greets everybody. You hear a step, and you say good morning to it.",
    ],
    list: {
      lead: "The scale used in the notebook:",
      items: [
        "<b>haze</b>: the island looks further away than it is",
        "<b>mist</b>: five posts",
        "<b>fog</b>: two posts",
        "<b>thick</b>: the notebook, held at arm’s length",
      ],
    },
    table: {
      caption: "Mornings with fog, by month",
      head: ["Month", "Before", "Now"],
      rows: [
        ["April", "9", "8"],
        ["June", "14", "11"],
        ["August", "7", "4"],
        ["October", "5", "5"],
      ],
    },
    code: {
      lead: "The notebook is typed up every winter. A line of it looks like this:",
      text: 'date,time,posts,wind,remark\n2019-06-11,06:40,2,SSW,horn from 05:15\n2019-06-12,06:35,0,calm,"dog found before path"',
    },
  },
  {
    category: "food",
    tags: ["salt", "craft", "tides", "small-business"],
    titles: [
      "Salt from {place}, one pan at a time",
      "The salt boilers return to {place}",
      "A winter in the salt house at {place}",
      "Thirty litres of sea and a fire at {place}",
    ],
    synopses: [
      "Thirty litres of sea water make one kilogram of salt. {person} carries every one of them.",
      "The pans were cold for a century. Now there is steam over the saltings again.",
    ],
    openings: [
      "You smell the salt house at {place} before you see it: wood smoke, hot iron, and something like the inside of a shell.",
      "Salt is patience with the water taken out, says {person}, and pushes another log under the pan.",
    ],
    paragraphs: [
      "The water is taken on a spring tide in {season}, when rain has stayed away for a week and the estuary is as salty as it gets. It is left to stand for two days and then poured, slowly, off its own mud.",
      "First it must boil, and then it must not. Crystals that form in rolling water are fine and bitter; crystals that form on a still surface grow into hollow pyramids, and sink when they are heavy enough.",
      "The art is in stopping. The last tenth of the liquid holds the bitter salts, and a boiler who is greedy for one more kilogram spoils the other forty.",
      "A tax ruined the trade in 1798, and cheap rock salt buried it. What remained was a field name, a bend in the road around a heap of ash, and {number} shards of pan in the museum’s cellar.",
      "In {years} years nobody has got rich. But the baker takes forty kilos a month, the cheese makers take the rest, and in February it is the warmest place in the parish to have a conversation.",
    ],
    headings: ["First it must boil, then it must not", "A tax and a heap of ash"],
    quotes: [
      "Everybody asks what makes it taste different. Honestly? You chew it more slowly when you have met the person.",
      "It is the only kitchen I know where the recipe is the tide table.",
    ],
    list: {
      lead: "From the sea to the jar:",
      items: [
        "<p>Settle for two days.</p>",
        "<p>Boil to a quarter.</p>",
        "<p>Simmer, without a ripple, through the night.</p>",
        "<p>Rake, drain, and dry on slates.</p>",
      ],
    },
    table: {
      caption: "What 100 litres give",
      head: ["Fraction", "Weight", "Used for"],
      rows: [
        ["Flakes", "1.9 kg", "The table"],
        ["Fine salt", "1.1 kg", "Bread and cheese"],
        ["Bittern", "0.4 kg", "Tofu, and roads"],
      ],
    },
  },
];

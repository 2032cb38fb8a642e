import type { Subject } from "./subject.ts";

/** Subjects of music, craft, food and history. */
export const people: readonly Subject[] = [
  {
    category: "music",
    tags: ["folk-music", "archives", "schools"],
    titles: [
      "A fiddle tune called {place}",
      "The tune book from the attic at {place}",
      "Learning by ear at {place}",
      "Saturday night music at {place}",
    ],
    synopses: [
      "A note book found behind a chimney holds {number} tunes. Nobody alive had heard most of them.",
      "There is no stage, no sheet music and no beginning. {person} explains how to join in anyway.",
    ],
    openings: [
      "The book had been behind the chimney for so long that it had taken its shape. {person} opened it on a kitchen table at {place} and began to hum.",
      "The rule of the Saturday gathering at {place} is that a tune goes round three times. The first time is for those who know it, the second for those who nearly do.",
    ],
    paragraphs: [
      "Whoever wrote the tunes down was in a hurry and had a good ear. There are no titles for most of them, no keys, and in the margins only the names of those who danced.",
      "A tune in this country is rarely from one place. It comes in with a ship, loses a bar at a wedding, gains a turn from a left-handed fiddler, and is then said to be as old as the hills.",
      "To learn by ear is to be lost for a while in company. You play the notes you have. Each time round there are more of them, and nobody ever asks which ones you left out.",
      "The youngest in the circle is nine and the oldest is past ninety. Between them there are {years} years and, on most evenings, one shared packet of biscuits.",
      "Recordings help and harm. They keep a tune alive exactly as one person played it on one evening in {season}, with a dog barking in the second part. The dog is by now traditional.",
    ],
    headings: ["Three times round", "A dog in the second part"],
    quotes: [
      "If you can still count, you are not dancing yet.",
      "I have played it for fifty years and only last week found out that it goes up at the end.",
    ],
    list: {
      lead: "Five tunes from the book that are played again:",
      items: [
        "<i>The Cold Kettle</i>",
        "<i>Mrs Amory’s Gate</i>",
        "<i>Nineteen Herrings</i>",
        "<i>Off She Rowed</i>",
        "one without a name, known as <i>Number Forty</i>",
      ],
    },
    table: {
      caption: "What is in the book",
      head: ["Kind", "Metre", "Number"],
      rows: [
        ["Reels", "4/4", "58"],
        ["Jigs", "6/8", "41"],
        ["Waltzes", "3/4", "17"],
        ["Uncertain", "?", "9"],
      ],
    },
    code: {
      lead: "“Number Forty”, in the letters that musicians use to send tunes by mail:",
      text: "X:40\nT:Number Forty\nM:6/8\nK:D\nA|d2f edB|AFA B2A|d2f edB|1 AFE D2:|2 AFE D3|]",
    },
  },
  {
    category: "craft",
    tags: ["walls", "farming", "craft"],
    titles: [
      "A wall without mortar at {place}",
      "Two faces and a heart: walling at {place}",
      "Rebuilding the parish wall of {place}",
      "Stone by stone across {place}",
    ],
    synopses: [
      "Four metres a day, and no stone picked up twice. {person} teaches a craft that looks like a puzzle.",
      "A dry stone wall is two walls leaning on each other. It stands because it can move.",
    ],
    openings: [
      "Every stone has a place, {person} tells the beginners at {place}, and then walks along the line putting back the ones that were in the wrong one.",
      "Seen from the air the walls around {place} look like a net thrown over the hills. From the ground they look like a great deal of work.",
    ],
    paragraphs: [
      "A good wall is wider at the foot than at the top and is built as two faces, with small stones packed between them. The trade calls those the hearting, and most failures begin there.",
      "No stone is to be picked up twice. It is a rule that sounds like haste and teaches the opposite: you learn to look for longer.",
      "Long stones, laid across from face to face, tie the wall together every metre. Leave one out and nothing happens for {years} years.",
      "The gaps are part of the design. They let the wind through, so that snow does not pile up behind, and they house wrens, stoats, slow-worms and, in one famous case, {number} old pennies.",
      "When a wall comes down in {season} it falls in a heap that contains exactly the stones needed to put it up again. Few other buildings are so considerate.",
    ],
    headings: ["Two faces and a heart", "Do not pick it up twice"],
    quotes: [
      "You are not stacking stones. You are making gravity do what it was going to do anyway.",
      "My grandfather’s stretch is still up. Mine has been down twice. I can see him looking.",
    ],
    list: {
      lead: "The four rules, as they are taught here:",
      items: [
        "one over two, two over one",
        "length into the wall, never along it",
        "keep the middle full",
        "keep the line, and keep talking",
      ],
    },
    table: {
      caption: "A metre of wall",
      head: ["Part", "Stone", "Weight"],
      rows: [
        ["Footing", "Largest, flat", "400 kg"],
        ["Faces", "Hand-sized and up", "900 kg"],
        ["Hearting", "Small, angular", "350 kg"],
        ["Coping", "Upright", "150 kg"],
      ],
    },
  },
  {
    category: "craft",
    tags: ["printing", "books", "small-business"],
    titles: [
      "The printing shop at {place} opens its drawers",
      "Set by hand in {place}",
      "Wooden letters from {place}",
      "A newspaper of one page at {place}",
    ],
    synopses: [
      "Forty cases of type, three presses, and an apprentice who came to photograph them and stayed.",
      "Once a month {person} prints the news of the village, by hand, on one side of one sheet.",
    ],
    openings: [
      "The letter e wears out first. In the printing shop at {place} there is a tin full of them, blunt as pebbles, that {person} cannot bring herself to melt.",
      "You read type upside down and from left to right, which takes a week to learn, and after that it is ordinary reading that looks strange.",
    ],
    paragraphs: [
      "The shop closed when the last poster was printed for the last cattle market. The drawers were left as they were, and so the first job was to put {number} letters back into the right compartments.",
      "Wood type is cut from maple or pear across the grain. Over {years} years the ink has filled the scratches, and no two impressions of an old letter are alike.",
      "The news sheet has room for about three hundred words. That concentrates a village wonderfully. Births, lost property, and one opinion, chosen by lot.",
      "There is no undo. A line that is too long has to be thought again, not squeezed, and more than one sentence here has been improved by the lack of a second comma.",
      "In {season} the ink is stiff and the paper is dry, and the first twenty sheets are pale. They are kept for wrapping eggs, and are said to be collected.",
    ],
    headings: ["A tin full of worn letters", "Three hundred words a month"],
    quotes: [
      "If you have to pick up every letter, you find out which words are furniture.",
      "We misspelled the mayor once. He framed it.",
    ],
    list: {
      lead: "Words that outlived the trade:",
      items: [
        "<em>upper case</em> and <em>lower case</em>, for the drawers",
        "<em>leading</em>, for the strips of lead between lines",
        "<em>out of sorts</em>, when a letter had run out",
        "<em>stereotype</em>, for a whole page cast in one piece",
      ],
    },
    table: {
      caption: "The cases, as found",
      head: ["Face", "Sizes", "Complete"],
      rows: [
        ["Caslon", "8–36 pt", "yes"],
        ["A grotesque", "6–72 pt", "no W"],
        ["Wood, fat face", "10–40 lines", "nearly"],
      ],
    },
  },
  {
    category: "food",
    tags: ["apples", "orchards", "farming", "autumn"],
    titles: [
      "The lost apples of {place}",
      "Wassail and wood ash: an orchard at {place}",
      "Naming apples in the school hall at {place}",
      "Cider weather at {place}",
    ],
    synopses: [
      "People came with a paper bag and a question. {person} could name four apples out of five.",
      "An orchard planted for a house that burned down is feeding a village that forgot it.",
    ],
    openings: [
      "On apple day the school hall at {place} smells of cellars. On the long table lie {number} plates, three apples on each, and most of the labels end with a question mark.",
      "The tree behind the bus shelter at {place} drops its fruit in {season}, on everybody alike. Until last year it had no name.",
    ],
    paragraphs: [
      "An apple does not come true from seed. Every tree of a kind is a piece of the first one, grafted on to new roots again and again, and when nobody grafts it any more it is gone.",
      "To name one, you cut it in half. The shape of the core, the colour of the flesh after a minute, the length of the stalk and the smell of the skin: a good pomologist reads them like a face.",
      "Those that nobody could name were sent for a test of their genes. Two turned out to be known from elsewhere. The third, small and russet, matched nothing in the collection, and is now called after the bus shelter.",
      "The cider is pressed slowly, in cloths, between racks of ash. It tastes thin for months, and then in spring, when the trees are in flower, it starts to work again on its own.",
      "The orchard is grazed by geese. In {years} years they have done no harm to anything but the postman’s confidence.",
    ],
    headings: ["Cut it in half", "The tree behind the bus shelter"],
    quotes: [
      "A sour apple is only an apple that has not been asked the right question.",
      "We saved the tree and then found out that nobody liked it. It makes wonderful jelly.",
    ],
    list: {
      lead: "Kinds that were found within an hour’s walk:",
      items: [
        "Sheep’s Nose",
        "Keeswick Codlin",
        "Slack-ma-Girdle",
        "Bloody Ploughman",
        "Yellow Ingestrie",
      ],
    },
    table: {
      caption: "When they are ready",
      head: ["Kind", "Pick", "Eat until"],
      rows: [
        ["Codlins", "August", "the same day"],
        ["Russets", "October", "March"],
        ["Keepers", "November", "May"],
      ],
    },
  },
];

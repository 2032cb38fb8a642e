/** Material about one subject. {place}, {person}, {season}, {years} and {number} are the same throughout an article. */
export type Subject = ReturnType<typeof subjectOf>;

/** From a line for each text, after the name of its field. */
function subjectOf(text: string) {
  const all = (field: string): string[] =>
    [...text.matchAll(new RegExp(`^${field}: (.+)$`, "gm"))].map(([, line = ""]) => line);
  return {
    category: all("category").join(),
    tags: all("tags").join().split(" "),
    /** Each names the place. */
    titles: all("title"),
    synopses: all("synopsis"),
    openings: all("opening"),
    paragraphs: all("paragraph"),
    headings: all("heading"),
    quote: all("quote").join(),
    /** The lead and the entries. */
    list: all("list"),
    /** Caption, head and rows, with "|" between cells. */
    table: all("table"),
  };
}

export const subjects: readonly Subject[] = [
  `category: nature
tags: birds swifts summer
title: The swifts of {place} are late this year
title: Sixty boxes for the swifts of {place}
title: Under the eaves at {place}
synopsis: They stay for a hundred days and never once land on the ground. {person} built them a street of their own.
synopsis: A bell tower, a bag of sawdust and a recording: how to invite a bird that does not know you.
opening: Nobody at {place} needs a calendar for the eighth of May. In the evening somebody looks up, and then everybody is standing in the street.
opening: A swift that falls silent over {place} at the end of July will be above the Congo three weeks later. It will not have sat down in between.
paragraph: Swifts eat, sleep and gather their nests in the air. They come to a building for one purpose, through a slot no bigger than a letter box, and when a roof is repaired well the slot is gone.
paragraph: The boxes are made of plywood and have a floor with a shallow dish in it. {person} sawed {number} of those dishes last winter and says that the sound of the router is now the sound of January.
paragraph: To tell the birds that there is room, a loudspeaker plays the screams of a colony at dusk. It feels like cheating, and it works within two summers, or three, or not at all.
paragraph: The young hang from the entrance for days and look. Then one morning they let go. Nobody shows them where Africa is.
heading: A slot the size of a letter box
heading: Letting go
quote: You give them a hole in a wall, and they give you the whole sky back.
list: If you want to put up a box:
list: at least five metres above the ground, with a clear drop below
list: on the north or east side, where it stays cool
table: Pairs and fledged young
table: Summer|Pairs|Young
table: first|4|7`,
  `category: coast-and-sea
tags: lighthouse seafaring engineering archives
title: The last keeper of the light at {place}
title: A lamp, a lens and {place}
title: Why the light at {place} blinks twice
synopsis: The light has run by itself for decades. {person} still climbs up to clean it.
synopsis: A lens of four hundred prisms spent a generation in crates. Now it turns again.
opening: There are {number} steps in the tower at {place}, and {person} no longer counts them. The lamp at the top is the size of a thumb.
opening: On paper the light at {place} needs nobody. On paper it also has no dust, no spiders and no gulls.
paragraph: Every lighthouse has a rhythm of its own, so that a tired sailor can tell one from another. This one gives two flashes, close together, and then counts slowly to thirteen in the dark.
paragraph: The lens was cut in Paris and came by sea in barrels of treacle, or so it is told. The treacle is in no account book, but each of the prisms was found whole, and nobody has a better explanation.
paragraph: Before electricity the whole apparatus floated on a bath of mercury and was turned by a falling weight. The keeper wound it up every four hours, like a clock that would drown somebody if it stopped.
paragraph: What changed the work was not the lamp but the switch. When the light could be lit from the mainland, the last family moved out in {season}, leaving a row of coat hooks at three different heights.
heading: A rhythm of its own
heading: Four hundred prisms
quote: A lighthouse is the only building that is meant for people who never come in.
list: What to look for on a visit:
list: the groove that the weight wore into the stairwell
list: a pane that is newer than the others, replaced after a goose flew into it
table: The light through the years
table: From|Fuel|Seen from
table: 1841|Colza oil|9 miles`,
  `category: history
tags: maps archives tides villages
title: The drowned street of {place}
title: A map that was right about {place}
title: Where the old harbour of {place} went
synopsis: For two hours, twice a year, you can walk down a street that the sea took in 1703.
synopsis: The surveyor was thought to have invented a village. {person} has found its doorsteps.
opening: Twice a year the tide at {place} goes out further than it should. Then there is a line of stones in the sand, and beside it another, and between them the width of a cart.
opening: For two centuries the map of {place} was kept as an example of how wrong a map can be.
paragraph: The surveyor drew forty houses, a chapel and an inn, half a mile beyond the present shore. Later hands wrote <em>fancy</em> across them, and one wrote <em>drink</em>.
paragraph: What {person} found first was a doorstep: one stone, hollowed in the middle by feet. A street has a lot of doorsteps. By the end of {season} there were {number} on the plan.
paragraph: Nobody drowned, as far as the registers tell. The sea came in over {years} years, a garden at a time, and the people carried their roof beams inland. Some of those beams can still be seen in the barn on the hill, with the wrong mortises.
paragraph: The chapel bell is supposed to ring under water. It was in fact sold to pay for the new road, and rings on weekdays at a school forty miles away.
heading: Fancy, or drink
heading: A street has a lot of doorsteps
quote: You stand in somebody’s kitchen and look at your watch, because the water is coming back.
list: How the street was found again:
list: the map, turned by eleven degrees
list: a fisherman’s list of places where nets catch
table: The village in the registers
table: Year|Houses|Hearths taxed
table: 1664|43|61`,
  `category: walks
tags: walking rivers summer villages
title: A slow walk from {place} to the sea
title: The ferryman’s path at {place}
title: Round {place} in five hours and two pies
synopsis: Eleven kilometres, mostly level, with one honest hill and a bench at the right moment.
synopsis: The path is older than the parish. {person} walks it every week with a pair of shears.
opening: Leave {place} by the lane beside the baker’s, and do not leave it without something from the baker’s.
opening: The path begins at {place} as a gap between two garages, which is a way of keeping out people who are in a hurry.
paragraph: The first half hour follows the mill stream, under alders, with the water on your left talking to itself. After rain there is a choice of stepping stones or wet feet, and in practice it is both.
paragraph: At the top of the honest hill somebody has put a bench in memory of a dog. The view from it takes in {number} church towers on a clear day in {season}, or none, or your own sandwich.
paragraph: Beyond the second bridge the path was lost for {years} years, ploughed and then forgotten. {person} found it again with an old map and a machete, in that order.
paragraph: The ford is no deeper than a boot when the marker post shows its white ring. If the ring is under water, go round by the road and be late.
heading: The honest hill
heading: When the white ring is under water
quote: A path is only a habit. If nobody has it any more, it is a field.
list: On the way:
list: 0 km: the baker’s
list: 2.5 km: first bridge, kingfishers if you are quiet
table: At a glance
table: |Path|Road
table: Length|11 km|9 km`,
].map(subjectOf);

/** Paragraphs that fit at the end of any article. */

export const extras: readonly string[] = [
  "{person} has been asked to give a talk about it in the parish room at {place}, and has agreed on condition that nobody takes notes. Doors open at seven; bring a chair.",
  "Of course there are doubters. At {place} they meet on Thursdays, and they are very well informed.",
  "What happens next depends on money, as things do. The fund covers this {season} and the one after it. “Then we shall see,” says {person}, in the voice of somebody who has seen before.",
  "It would be easy to make a symbol of it. The people of {place} have so far resisted, and simply turn up on Saturday mornings with gloves.",
  "Visitors are welcome at {place} from April to October. Please close the gate, even if you found it open; the gate has heard all the explanations.",
  "We asked {person} what had been the most surprising thing in {years} years. There was a long pause. “That it is so seldom boring,” came the answer.",
  "A small exhibition about all this can be seen in the library at {place} until the end of {season}. The caretaker will show you the rest if you ask nicely.",
  "Next year somebody else is to take over the list. {person} has sharpened the pencils and written a page of instructions, the last line of which is: <em>look up now and then</em>.",
];

export const closings: readonly string[] = [
  "Text: {person}. Pictures: from the magazine’s archive.",
  "First published in the {season} number. Corrections are welcome and will be printed.",
  "{person} writes about the region for this magazine.",
  "With thanks to the people of {place}, and to the one who brought soup.",
  "An earlier version of this article gave the number as {years}. It is {number}.",
];

/** Names of the region, and the categories and tags that its magazine uses. */

/** Pairs from lines of "slug: Title". */
function labelled(text: string): [slug: string, title: string][] {
  return text.split("\n").map((line) => {
    const [slug = "", title = ""] = line.split(": ");
    return [slug, title];
  });
}

export const places =
  `Ottersby, Hallow Bay, Kestrel Point, Lindmoor, Saint Brannoc, Ashby Weir, Upper Thorne,
Gullhaven, Mossgate, Fenharrow, Coldharbour Sound, Larkrigg`.split(/,\s/);

export const persons =
  `Ines Okafor, Mair Harding, Marit Solheim, Ruth Abernathy, Hana Novák, Aoife Ní Bhriain,
Dora Quayle, Mei-Lin Prentice, Zofia Żak, Leila Haddad`.split(/,\s/);

export const seasons = ["spring", "summer", "autumn", "winter"];

/** Nothing is ever filed under the last two. */
export const categories = labelled(`nature: Nature
coast-and-sea: Coast & Sea
history: History
walks: Walks
letters: Letters to the Editor
obituaries: Obituaries`);

/** Two are called "Craft", one slug is not ASCII, and nothing has the last one. */
export const tags = labelled(`archives: Archives
birds: Birds
citizen-science: Citizen science
craft: Craft
craft-2: Craft
engineering: Engineering
gàidhlig: Gàidhlig
lighthouse: Lighthouses
maps: Maps
nihongo: 日本語で
rivers: Rivers (rivières, Flüsse, ár)
seafaring: Seafaring
summer: Summer
swifts: Swifts
tides: Tides
villages: Villages
walking: Walking
almanac: Almanac`);

export const strayTags = ["gàidhlig", "nihongo", "craft", "craft-2"];

/** Slugs of tags that our organisation does not list. */
export const neighbourTags = ["tides-north", "fells", "ponies"];

export const externalSites = [
  ["https://www.openstreetmap.org/#map=13/54.31/-3.22", "the map"],
  ["https://en.wikipedia.org/wiki/Citizen_science", "citizen science"],
  ["https://www.biodiversitylibrary.org/search?searchTerm=flora&lang=en", "the old floras"],
  ["http://www.example.org/society", "the society’s page"],
] as const;

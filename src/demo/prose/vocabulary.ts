/** Names of the region, and the categories and tags that its magazine uses. */

export const places = [
  "Ottersby",
  "Hallow Bay",
  "Kestrel Point",
  "Lindmoor",
  "Saint Brannoc",
  "Ashby Weir",
  "Upper Thorne",
  "Gullhaven",
  "Mossgate",
  "Fenharrow",
  "Coldharbour Sound",
  "Larkrigg",
] as const;

export const persons = [
  "Ines Okafor",
  "Mair Harding",
  "Marit Solheim",
  "Ruth Abernathy",
  "Hana Novák",
  "Aoife Ní Bhriain",
  "Dora Quayle",
  "Mei-Lin Prentice",
  "Sunniva Blackett",
  "Zofia Żak",
  "Leila Haddad",
  "Grace Penhallow",
] as const;

export const seasons = ["spring", "summer", "autumn", "winter"] as const;

/** Slug and title, in their order of display. Nothing is ever filed under the last two. */
export const categories: readonly (readonly [slug: string, title: string])[] = [
  ["nature", "Nature"],
  ["coast-and-sea", "Coast & Sea"],
  ["weather", "Weather"],
  ["night-sky", "Night Sky"],
  ["science", "Science"],
  ["history", "History"],
  ["music", "Music"],
  ["craft", "Craft"],
  ["food", "Food & Drink"],
  ["walks", "Walks"],
  ["letters", "Letters to the Editor"],
  ["obituaries", "Obituaries"],
];

/** Slug and title. Two are called "Craft", one slug is not ASCII, and nothing has the last one. */
export const tags: readonly (readonly [slug: string, title: string])[] = [
  ["apples", "Apples"],
  ["archives", "Archives"],
  ["astronomy", "Astronomy"],
  ["autumn", "Autumn 🍂"],
  ["birds", "Birds"],
  ["books", "Books"],
  ["citizen-science", "Citizen science"],
  ["climate", "Climate"],
  ["craft", "Craft"],
  ["craft-2", "Craft"],
  ["engineering", "Engineering"],
  ["farming", "Farming"],
  ["fog", "Fog (brume, Nebel, mjörkvi)"],
  ["folk-music", "Folk music ♫"],
  ["francais", "En français"],
  ["gàidhlig", "Gàidhlig"],
  ["kelp", "Kelp"],
  ["lichens", "Lichens"],
  ["lighthouse", "Lighthouses"],
  ["maps", "Maps"],
  ["mills", "Mills"],
  ["night", "Night"],
  ["nihongo", "日本語で"],
  ["orchards", "Orchards"],
  ["otters", "Otters"],
  ["peat", "Peat & moss"],
  ["printing", "Printing"],
  ["restoration", "Restoration"],
  ["rivers", "Rivers"],
  ["salt", "Salt"],
  ["schools", "Schools"],
  ["seafaring", "Seafaring"],
  ["small-business", "Small business"],
  ["summer", "Summer"],
  ["swifts", "Swifts"],
  ["tides", "Tides"],
  ["villages", "Villages"],
  ["walking", "Walking"],
  ["walls", "Walls"],
  ["almanac", "Almanac"],
];

/** Tags that some articles of any subject have. */
export const strayTags = ["francais", "gàidhlig", "nihongo", "craft-2"] as const;

/** Tags of the neighbouring organisation; titles may equal ours. */
export const neighbourTags: readonly (readonly [slug: string, title: string])[] = [
  ["tides-north", "Tides"],
  ["birds-north", "Birds"],
  ["fells", "Fells"],
  ["ponies", "Ponies"],
  ["snow", "Snow"],
];

export const externalSites: readonly (readonly [url: string, title: string])[] = [
  ["https://www.gutenberg.org/", "Project Gutenberg"],
  ["https://www.openstreetmap.org/#map=13/54.31/-3.22", "the map"],
  ["https://en.wikipedia.org/wiki/Citizen_science", "citizen science"],
  ["https://www.biodiversitylibrary.org/search?searchTerm=flora&lang=en", "the old floras"],
  ["http://www.example.org/society", "the society’s page"],
  ["https://archive.org/details/maps", "a scan of the survey"],
];

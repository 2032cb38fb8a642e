/** What a picture shows. */
export type PictureKind =
  | "ridges"
  | "lake"
  | "forest"
  | "peaks"
  | "dunes"
  | "coast"
  | "city"
  | "fields"
  | "bauhaus"
  | "overlap"
  | "flow"
  | "arcs"
  | "strata"
  | "botanical"
  | "contours"
  | "papercut"
  | "halftone"
  | "poster";

/** Names of what is shown by kind, and remarks that complete a caption. */
export const subjects: Record<
  Exclude<PictureKind, "poster">,
  readonly [readonly string[], readonly string[]]
> = {
  ridges: [
    [
      "Ridge line",
      "Seven ridges",
      "The border range",
      "Blue hills",
      "Foothills and main range",
      "Valleys filling with mist",
    ],
    [
      "The farthest range lies some sixty kilometres away.",
      "Mist stays in the valleys until the wind turns.",
      "The old smugglers' path follows the second ridge.",
    ],
  ],
  lake: [
    [
      "Still water",
      "The reservoir",
      "Mountain lake",
      "Reflections",
      "The lake without a breath of wind",
      "North shore",
    ],
    [
      "The water level is two metres below that of last year.",
      "No boats are allowed between October and April.",
      "The reflection holds for a few minutes only.",
    ],
  ],
  forest: [
    [
      "Spruce and fog",
      "The upper forest",
      "Tree line",
      "Old-growth stand",
      "Plantation on the slope",
      "Firs",
    ],
    [
      "A third of the stand is more than two hundred years old.",
      "Foresters count the trees here every ten years.",
      "The fog comes up from the river most mornings.",
    ],
  ],
  peaks: [
    [
      "North face",
      "Fresh snow on the summits",
      "The three sisters",
      "Winter range",
      "First snow",
      "Above the glacier",
    ],
    [
      "The summit was first climbed in 1874.",
      "Snow fell down to 1,400 metres overnight.",
      "The hut below the saddle is closed until June.",
    ],
  ],
  dunes: [
    ["Dune crest", "Wind-shaped sand", "The great dune", "Sand sea", "Crescent dunes"],
    [
      "The dunes move about twelve metres a year.",
      "Footprints are gone within the hour.",
      "Temperatures on the lee side reach 60 °C.",
    ],
  ],
  coast: [
    [
      "Headland",
      "Incoming tide",
      "The strait",
      "Sailing home",
      "Calm sea off the point",
      "The crossing",
    ],
    [
      "The ferry passes this point twice a day.",
      "Fishing has been restricted here since 2011.",
      "Three lighthouses marked this coast; one is left.",
    ],
  ],
  city: [
    [
      "Skyline",
      "Roofs and towers",
      "The old town",
      "Office lights",
      "Harbour district",
      "View over the centre",
    ],
    [
      "The tower on the right is to be finished next spring.",
      "About four hundred thousand people live in the inner districts.",
      "The council wants to dim the lights after eleven.",
    ],
  ],
  fields: [
    [
      "Crop rows",
      "Farmland",
      "Rolling fields",
      "Barley and fallow land",
      "The land in strips",
      "Harvest country",
    ],
    [
      "The strips go back to a land reform of the 1920s.",
      "Rain came three weeks too late this year.",
      "Hedges are being planted again along the lanes.",
    ],
  ],
  bauhaus: [
    [
      "Modular composition",
      "Tile study",
      "Quarter circles",
      "Pattern for a stairwell",
      "Sixteen squares",
    ],
    ["Made for the series on public housing.", "Every tile uses one of nine forms."],
  ],
  overlap: [
    ["Overprint study", "Transparent discs", "Balance", "Three inks", "Weights and counterweights"],
    ["Opening illustration of the essay section.", "The colours darken where two inks meet."],
  ],
  flow: [
    ["Currents", "Wind chart", "Migration lines", "Drift", "Field of directions"],
    ["Drawn for a report on ocean currents.", "Each line follows the same invisible slope."],
  ],
  arcs: [
    ["Rising forms", "Rainbow hills", "Bows", "Sun over terraces", "Amphitheatre"],
    ["Cover artwork of the summer issue.", "From a set of six on seasons."],
  ],
  strata: [
    ["Signal", "Noise profile", "Stacked pulses", "Soundings", "Seismogram of a quiet day"],
    ["Eighty measurements laid one behind the other.", "Illustration for the column on listening."],
  ],
  botanical: [
    [
      "Herbarium sheet",
      "Hedge plants",
      "Meadow stems",
      "Late summer botany",
      "Five roadside plants",
    ],
    ["From the almanac pages.", "None of these plants exists, though all could."],
  ],
  contours: [
    ["Contour map", "Imaginary survey", "Relief of an island", "Height lines", "Sheet 14, revised"],
    ["Interval of twenty metres; no place you can visit.", "Made for the long read on mapmakers."],
  ],
  papercut: [
    ["Paper relief", "Layers", "Cut paper valley", "Depth study", "Sediment"],
    [
      "Eight sheets, cut by hand and lit from the left.",
      "Illustration for the series on groundwater.",
    ],
  ],
  halftone: [
    ["Screened sun", "Two-ink print", "Halftone tide", "Newsprint study", "Dot gain"],
    [
      "The screen is enlarged about forty times.",
      "Printed in two inks at angles of 15 and 45 degrees.",
    ],
  ],
};

/** Technique of the kinds that have one of their own. */
export const mediums: Partial<Record<PictureKind, string>> = {
  papercut: "Cut paper",
  halftone: "Two-colour print",
  botanical: "Gouache",
  contours: "Pen and wash",
  poster: "Screen print",
  overlap: "Risograph",
};

import { readFileSync } from "node:fs";

type Texts<Name extends string> = Record<Name, string[]>;
type Titles<Name extends string> = Record<Name, Record<string, string>>;

/**
 * The words of a regional magazine: places and persons, its categories and tags by their slugs, and what is written
 * about each subject. In texts, {place}, {person}, {season}, {years} and {number} are the same throughout an article.
 * Nothing is ever filed under the last two categories and the last tag, and two tags have one title.
 */
interface Magazine
  extends Texts<"places" | "persons" | "seasons" | "strayTags" | "neighbourTags" | "closings">,
    Titles<"categories" | "tags" | "externalSites"> {
  subjects: (Texts<"tags" | "titles" | "synopses" | "openings" | "paragraphs" | "headings"> &
    Texts<"list" | "table"> &
    Record<"category" | "quote", string>)[];
  pictures: Texts<"people" | "places" | "licences" | "directions"> & {
    subjects: Record<"hills" | "lake", Texts<"names" | "remarks">>;
    times: Texts<"dawn" | "day" | "dusk" | "night">;
  };
}

export const magazine = JSON.parse(
  readFileSync(new URL("../../templates/demo/magazine.json", import.meta.url), "utf8"),
) as Magazine;

import { readFileSync } from "node:fs";
import type words from "./magazine.json";

/**
 * The words of a regional magazine: places and persons, its categories and tags by their slugs, and what is written
 * about each subject. In texts, {place}, {person}, {season}, {years} and {number} are the same throughout an article.
 * Nothing is ever filed under the last two categories and the last tag, and two tags have one title.
 */
export const magazine = JSON.parse(
  readFileSync(new URL("./magazine.json", import.meta.url), "utf8"),
) as typeof words;

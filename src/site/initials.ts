import { groupedBy } from "../lib/frequency.ts";
import type { Formats } from "./formats.ts";

/** On a page of titles. */
export const titlesPerPage = 200;

/** What stands for the letters that a list has too many of, or that have no order of their own. */
const together: [RegExp, string][] = [
  [/\p{N}/u, "0–9"],
  [/\p{Script=Han}/u, "漢"],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, "あ"],
  [/\p{Script=Hangul}/u, "가"],
];

/** The letter that a title stands under in an alphabetical list, in capitals and without accents. */
export function initialOf(title: string): string {
  const start = title.slice(0, 2_000).normalize("NFKD");
  const [first] = /[\p{L}\p{N}]/u.exec(start) ?? ["#"];
  const [capital = first] = first.toUpperCase();
  return together.find(([letters]) => letters.test(first))?.[1] ?? capital;
}

/** Items by their initials, both in alphabetical order. */
export function byInitial<T extends { title: string }>(items: readonly T[], formats: Formats) {
  const groups = groupedBy(items, ({ title }) => initialOf(title));
  return Array.from(groups, ([initial, found]) => ({
    initial,
    items: found.sort((a, b) => formats.compare(a.title, b.title)),
  })).sort((a, b) => formats.compare(a.initial, b.initial));
}

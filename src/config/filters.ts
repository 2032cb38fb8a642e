/** Combinations of filters whose lists are written as files, in the order of their folders; `tag+tag` is every pair of tags. */
export const filterCombinations = [
  "year",
  "year+month",
  "category",
  "tag",
  "year+category",
  "year+month+category",
  "year+tag",
  "year+month+tag",
  "category+tag",
  "year+category+tag",
  "year+month+category+tag",
  "tag+tag",
] as const;
export type FilterCombination = (typeof filterCombinations)[number];

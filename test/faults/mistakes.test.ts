import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { mistakes } from "./zoo/mistakes.ts";

// The scenario that plants them takes minutes and runs seldom. This tells with the commit that changes such a place.
it.each(mistakes)("$name: the code has one place for it", ({ file, find }) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  expect(text.split(find)).toHaveLength(2);
});

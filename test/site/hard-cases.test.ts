import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Combination, faultsIn } from "./combination.ts";
import { hardCases, pagesOfHardCases } from "./gallery-of-hard-cases/content.ts";
import { openServedSite, type ServedSite } from "./in-browser.ts";

const languages = ["en", "ar"] as const;
const sites = new Map<string, ServedSite>();
beforeAll(async () => {
  for (const language of languages) sites.set(language, await openServedSite(hardCases, language));
});
afterAll(async () => {
  for (const site of sites.values()) await site.close();
});

// `npm run test:pages` opens them in all combinations.
const combinations: [Combination, (typeof languages)[number]][] = [
  [{ width: 360, colorScheme: "light", base: "a folder", javaScriptEnabled: true }, "en"],
  [{ width: 390, colorScheme: "dark", base: "HTTP", javaScriptEnabled: true }, "ar"],
  [{ width: 768, colorScheme: "light", base: "HTTP", javaScriptEnabled: false }, "en"],
  [{ width: 1440, colorScheme: "dark", base: "a folder", javaScriptEnabled: false }, "ar"],
  [{ width: 390, colorScheme: "light", base: "a folder", javaScriptEnabled: false }, "en"],
  [{ width: 1440, colorScheme: "light", base: "HTTP", javaScriptEnabled: true }, "en"],
];

describe.each(combinations)("the hard cases as %o, in %s", (combination, language) => {
  it("fit, complain of nothing, and are accessible", async () => {
    const site = sites.get(language) as ServedSite;
    const faults = await faultsIn(site.browser, site, pagesOfHardCases(site.paths), combination);
    expect(faults).toEqual([]);
  });
});

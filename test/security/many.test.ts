// An author whose article has more links, tags or failures than a call takes arguments (some 120,000), so that the
// night ends with a RangeError.
import { describe, expect, it } from "vitest";
import { withFilters } from "../../src/api/envelope.ts";
import { createIdFinder } from "../../src/catalogue/id-finder.ts";
import { keyOf } from "../../src/lib/digest.ts";
import { append, largest, smallest } from "../../src/lib/many.ts";
import { emptyReport, reportMarkdown } from "../../src/publish/report.ts";
import { lookupKey } from "../../src/site/links.ts";

const many = 400_000;

describe("as many items as an origin may have", () => {
  it("are links of a body", () => {
    const urls = Array.from({ length: many }, (_, at) => `https://example.org/${at}`);
    const { key } = lookupKey(urls, (url) => ({ type: "outside", url }));
    expect(key).toMatch(/^[0-9a-f]{32}$/);
  });

  it("are ids that may not be shown", () => {
    const ids = Array.from({ length: many }, (_, at) => {
      return `5f0c0000-0000-4000-8000-${String(at).padStart(12, "0")}`;
    });
    const finder = createIdFinder(ids);
    expect(finder.idsIn(`<p>${ids[many - 1]}</p>`)).toEqual([ids[many - 1]]);
  });

  it("are problems, warnings and remarks of a report", () => {
    const report = emptyReport();
    const reasons = Array.from({ length: many }, (_, at) => `reason ${at}`);
    report.problems = reasons.map((reason) => ({ subject: "a", reason }));
    report.warnings = reasons.map((text) => ({ text }));
    const text = reportMarkdown(report);
    expect(text).toContain("## Problems");
    expect(text.length).toBeLessThan(50_000);
  });

  it("are parts of a key, in which their lengths count", () => {
    const parts = Array.from({ length: many }, () => "ab");
    expect(keyOf("x", parts)).toBe(keyOf("x", [...parts]));
    expect(keyOf("x", ["ab", "c"])).not.toBe(keyOf("x", ["a", "bc"]));
    expect(keyOf("x", ["ab", "c"])).toBe(keyOf("x", "ab", "c"));
  });

  it("are parameters of a URL", () => {
    const parameters = Array.from({ length: many }, (): [string, string] => ["a", "b"]);
    expect(withFilters("/articles?page=2", parameters)).toMatch(/^\/articles\?a=b&.*&page=2$/);
  });

  it("are numbers and items of lists", () => {
    const numbers = Array.from({ length: many }, (_, at) => at - 7);
    expect([smallest(numbers), largest(numbers)]).toEqual([-7, many - 8]);
    expect([smallest([]), largest([])]).toEqual([Math.min(), Math.max()]);
    const list = [1];
    append(list, numbers);
    expect(list).toHaveLength(many + 1);
  });
});

import { describe, expect, it } from "vitest";
import { offsetIn, zonesWith } from "../../src/probe/zones.ts";

const zonesOf = (...times: string[]): string[] =>
  zonesWith(times.flatMap((time) => offsetIn(time) ?? []));

describe("the time zones in which an origin writes its times", () => {
  it.each([
    [["2024-01-15T10:00:00+00:00", "2024-07-15T10:00:00+00:00"], "UTC"],
    [["2024-01-15T10:00:00+1300", "2024-07-15T10:00:00+1200"], "Pacific/Auckland"],
    [["2024-07-15T10:00:00-02:30"], "America/St_Johns"],
    [["2024-01-15T10:00:00+05:45"], "Asia/Kathmandu"],
  ])("%j are of %s", (times, zone) => {
    // Names that mean the same differ from one version of the data to the next.
    expect(zonesOf(...times).map((name) => name.replace("Katmandu", "Kathmandu"))).toContain(zone);
  });

  it("include Europe first where winter and summer say so", () => {
    expect(zonesOf("2024-01-15T10:00:00+01:00", "2024-07-15T10:00:00+02:00")[0]).toMatch(
      /^Europe\//,
    );
  });

  it("are none where times have no offset, or offsets that no zone has", () => {
    expect(zonesOf("2024-01-15T10:00:00Z")).toEqual([]);
    expect(zonesOf("2024-01-15T10:00:00+13:37")).toEqual([]);
  });
});

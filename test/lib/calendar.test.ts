import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { yearMonthIn } from "../../src/lib/calendar.ts";

describe("yearMonthIn", () => {
  it.each<[string, string, [number, number]]>([
    ["UTC", "2023-12-31T23:59:59.999Z", [2023, 12]],
    ["UTC", "2024-01-01T00:00:00.000Z", [2024, 1]],
    ["Etc/UTC", "2024-01-01T00:00:00.000Z", [2024, 1]],
    // Summer in Auckland is 13 hours ahead, winter 12.
    ["Pacific/Auckland", "2023-12-31T10:59:59.999Z", [2023, 12]],
    ["Pacific/Auckland", "2023-12-31T11:00:00.000Z", [2024, 1]],
    ["Pacific/Auckland", "2024-05-31T11:59:59.999Z", [2024, 5]],
    ["Pacific/Auckland", "2024-05-31T12:00:00.000Z", [2024, 6]],
    // The clock goes back and forth within these months, not at their turn.
    ["Pacific/Auckland", "2024-03-31T10:59:59.000Z", [2024, 3]],
    ["Pacific/Auckland", "2024-03-31T11:00:00.000Z", [2024, 4]],
    ["Europe/Vienna", "2024-03-31T21:59:59.000Z", [2024, 3]],
    ["Europe/Vienna", "2024-03-31T22:00:00.000Z", [2024, 4]],
    ["Europe/Vienna", "2024-10-31T22:59:59.000Z", [2024, 10]],
    ["Europe/Vienna", "2024-10-31T23:00:00.000Z", [2024, 11]],
    ["America/New_York", "2024-01-01T04:59:59.000Z", [2023, 12]],
    ["America/New_York", "2024-01-01T05:00:00.000Z", [2024, 1]],
    // In 2007 the clock went back on the night of 4 November: October still had summer time.
    ["America/New_York", "2007-11-01T03:59:59.000Z", [2007, 10]],
    ["Asia/Kolkata", "2024-01-31T18:29:59.000Z", [2024, 1]],
    ["Asia/Kolkata", "2024-01-31T18:30:00.000Z", [2024, 2]],
    ["Asia/Kathmandu", "2024-02-29T18:15:00.000Z", [2024, 3]],
    ["Pacific/Kiritimati", "2023-12-31T10:00:00.000Z", [2024, 1]],
    ["Pacific/Pago_Pago", "2024-01-01T10:59:59.000Z", [2023, 12]],
    // Samoa had no 30 December in 2011.
    ["Pacific/Apia", "2011-12-30T09:59:59.000Z", [2011, 12]],
    ["Pacific/Apia", "2011-12-31T10:00:00.000Z", [2012, 1]],
    ["Europe/Vienna", "1969-12-31T23:30:00.000Z", [1970, 1]],
    ["UTC", "0024-02-01T00:00:00.000Z", [24, 2]],
    ["Asia/Tokyo", "0999-12-31T12:00:00.000Z", [999, 12]],
    ["Asia/Tokyo", "9998-12-31T20:00:00.000Z", [9999, 1]],
  ])("in %s, %s → %j", (timezone, time, expected) => {
    expect(yearMonthIn(timezone)(time)).toEqual(expected);
  });

  it("is a month's difference at most from UTC, in either direction", () => {
    const zones = fc.constantFrom(
      "Pacific/Auckland",
      "America/Los_Angeles",
      "Asia/Kolkata",
      "Pacific/Kiritimati",
      "Africa/Cairo",
    );
    const times = fc.date({
      min: new Date("1970-01-01T00:00:00Z"),
      max: new Date("2100-01-01T00:00:00Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(zones, times, (timezone, time) => {
        const [year, month] = yearMonthIn(timezone)(time.toISOString());
        const months = (time.getUTCFullYear() - year) * 12 + time.getUTCMonth() + 1 - month;
        expect(Math.abs(months)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

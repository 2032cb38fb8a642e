import { describe, expect, it } from "vitest";
import { deriveSingleForm, type SingleSample, singleWriter } from "../../src/store/single-form.ts";

/** A list item and the answer for it alone. */
function sample(id: string, listed: object, single: object, wrap = "data"): SingleSample {
  const object = { id, title: "A", ...single };
  return {
    id,
    listed: JSON.stringify({ id, title: "A", ...listed }),
    answer: JSON.stringify(wrap === "" ? object : { [wrap]: object }),
  };
}

const none = new Map<number, number>();
const winter = "2024-01-02T10:00:00.123456Z";
const summer = "2024-07-02T10:00:00.000000Z";

describe("the rule that makes single answers out of list items", () => {
  it.each<[string, string, string, string]>([
    ["UTC", "+00:00", "2024-01-02T10:00:00+00:00", "2024-07-02T10:00:00+00:00"],
    ["UTC", "+0000", "2024-01-02T10:00:00+0000", "2024-07-02T10:00:00+0000"],
    ["UTC", "milliseconds", "2024-01-02T10:00:00.123Z", "2024-07-02T10:00:00.000Z"],
    ["UTC", "a space", "2024-01-02 10:00:00Z", "2024-07-02 10:00:00Z"],
    ["Europe/Berlin", "+02:00", "2024-01-02T11:00:00+01:00", "2024-07-02T12:00:00+02:00"],
    ["Europe/Berlin", "+00:00", "2024-01-02T10:00:00+00:00", "2024-07-02T10:00:00+00:00"],
    ["Asia/Kolkata", "+0530", "2024-01-02T15:30:00+0530", "2024-07-02T15:30:00+0530"],
    ["UTC", "a fixed offset", "2024-01-02T07:00:00-03:00", "2024-07-02T07:00:00-03:00"],
    ["UTC", "no other form", winter, summer],
  ])("writes time stamps, zone %s: %s", (timezone, _, first, second) => {
    const samples = [
      sample(
        "1",
        { created_at: winter, updated_at: null },
        { created_at: first, updated_at: null },
      ),
      sample(
        "2",
        { created_at: summer, meta: { at: winter } },
        { created_at: second, meta: { at: winter } },
      ),
    ];
    const { form } = deriveSingleForm(samples, { timezone, written: none });
    expect(form).not.toBeNull();
    for (const { listed, answer } of samples) {
      if (form !== null) expect(JSON.parse(singleWriter(form)(listed))).toEqual(JSON.parse(answer));
    }
  });

  it.each(["data", "image", ""])("has the object in the member %j", (wrap) => {
    const samples = [sample("1", {}, {}, wrap), sample("2", {}, {}, wrap)];
    const { form } = deriveSingleForm(samples, { timezone: "UTC", written: none });
    const raw = '{"id":"9","10":4.50,"title":"x"}';
    const expected = wrap === "" ? raw : `{"${wrap}":${raw}}`;
    expect(form && singleWriter(form)(raw)).toBe(expected);
  });

  it.each<[string, object, object, string]>([
    ["another value", { caption: "a" }, { caption: "b" }, "caption differs from the list"],
    ["a member more", {}, { exif: {} }, "exif differs from the list"],
    ["a member less", { links: { web: "x" } }, { links: {} }, "links.web differs from the list"],
    ["another time", { at: winter }, { at: "2024-01-02T10:00:01Z" }, "at differs from the list"],
  ])("is none where there is %s", (_, listed, single, reason) => {
    const found = deriveSingleForm([sample("1", listed, single)], {
      timezone: "UTC",
      written: none,
    });
    expect(found).toEqual({ form: null, reason: expect.stringContaining(reason) });
  });

  it("is none where the offsets are those of no zone that is known", () => {
    const samples = [
      sample("1", { at: winter }, { at: "2024-01-02T11:00:00+01:00" }),
      sample("2", { at: summer }, { at: "2024-07-02T12:00:00+02:00" }),
    ];
    const found = deriveSingleForm(samples, { timezone: "UTC", written: none });
    expect(found).toMatchObject({ form: null, reason: expect.stringContaining("time zone") });
  });

  it("takes no fixed offset that other times of the origin contradict", () => {
    const samples = [sample("1", { at: summer }, { at: "2024-07-02T12:00:00+02:00" })];
    const written = new Map([[Date.parse(winter), 7]]);
    expect(deriveSingleForm(samples, { timezone: "UTC", written }).form).toBeNull();
  });

  it("finds the zone in times that the origin writes elsewhere", () => {
    const samples = [sample("1", { at: summer }, { at: "2024-07-02T07:30:00-02:30" })];
    const written = new Map([
      [Date.parse(winter), -210],
      [Date.parse(summer), -150],
    ]);
    const { form } = deriveSingleForm(samples, { timezone: "UTC", written });
    expect(form && JSON.parse(singleWriter(form)(JSON.stringify({ at: winter })))).toEqual({
      data: { at: "2024-01-02T06:30:00-03:30" },
    });
  });
});

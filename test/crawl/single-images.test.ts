import { describe, expect, it } from "vitest";
import { deriveSingleForm, type SingleSample } from "../../src/crawl/single-images.ts";
import { singleWriter } from "../../src/store/single-form.ts";

/** A list item and the answer for it alone. */
function sample(id: string, listed: object, single: object, wrap = "data"): SingleSample {
  const object = { id, title: "A", ...single };
  return {
    id,
    listed: JSON.stringify({ id, title: "A", ...listed }),
    answer: JSON.stringify(wrap === "" ? object : { [wrap]: object }),
  };
}

const winter = "2024-01-02T10:00:00.123456Z";
const summer = "2024-07-02T10:00:00.000000Z";

describe("the rule that makes single answers out of list items", () => {
  it.each<[string, string, string, string]>([
    ["UTC", "+00:00", "2024-01-02T10:00:00+00:00", "2024-07-02T10:00:00+00:00"],
    ["UTC", "+0000", "2024-01-02T10:00:00+0000", "2024-07-02T10:00:00+0000"],
    ["UTC", "milliseconds", "2024-01-02T10:00:00.123Z", "2024-07-02T10:00:00.000Z"],
    ["Europe/Berlin", "+02:00", "2024-01-02T11:00:00+01:00", "2024-07-02T12:00:00+02:00"],
    ["Europe/Berlin", "+00:00", "2024-01-02T10:00:00+00:00", "2024-07-02T10:00:00+00:00"],
    ["Asia/Kolkata", "+0530", "2024-01-02T15:30:00+0530", "2024-07-02T15:30:00+0530"],
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
    const { form } = deriveSingleForm(samples, timezone);
    expect(form).not.toBeNull();
    for (const { listed, answer } of samples) {
      if (form !== null) expect(JSON.parse(singleWriter(form)(listed))).toEqual(JSON.parse(answer));
    }
  });

  it.each(["data", "image", ""])("has the object in the member %j", (wrap) => {
    const samples = [sample("1", {}, {}, wrap), sample("2", {}, {}, wrap)];
    const { form } = deriveSingleForm(samples, "UTC");
    const raw = '{"id":"9","10":4.50,"title":"x"}';
    const expected = wrap === "" ? raw : `{"${wrap}":${raw}}`;
    expect(form && singleWriter(form)(raw)).toBe(expected);
  });

  it.each<[string, object, object, string]>([
    ["another value", { caption: "a" }, { caption: "b" }, "caption differs from the list"],
    ["a member more", {}, { exif: {} }, "exif differs from the list"],
    ["a member less", { links: { web: "x" } }, { links: {} }, "links differs from the list"],
    ["another time", { at: winter }, { at: "2024-01-02T10:00:01Z" }, "at differs from the list"],
  ])("is none where there is %s", (_, listed, single, reason) => {
    const found = deriveSingleForm([sample("1", listed, single)], "UTC");
    expect(found).toEqual({ form: null, reason: expect.stringContaining(reason) });
  });

  it("is none where the offsets are those of another zone than the configured one", () => {
    const samples = [
      sample("1", { at: winter }, { at: "2024-01-02T11:00:00+01:00" }),
      sample("2", { at: summer }, { at: "2024-07-02T12:00:00+02:00" }),
    ];
    const found = deriveSingleForm(samples, "UTC");
    expect(found).toMatchObject({
      form: null,
      reason: expect.stringContaining("origin.timezone UTC"),
    });
  });
});

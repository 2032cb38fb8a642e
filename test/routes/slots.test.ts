import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigSchema } from "../../src/config.ts";
import { parseQuery } from "../../src/routes/query.ts";
import {
  nearestSlotOf,
  queryOfScaling,
  type Scaling,
  type Slot,
  scalingOf,
  scalingOfSlot,
  slotOf,
  slotTable,
  thumbShapes,
} from "../../src/routes/slots.ts";

describe("scalingOf and slotOf", () => {
  it.each([
    ["", "web"],
    ["expires=1&signature=2", "web"],
    ["thumb=1", "thumb/square"],
    ["thumb=true", "thumb/square"],
    // Without a value there is no parameter.
    ["thumb=", "web"],
    ["thumb", "web"],
    ["thumb=&orientation=p", "web"],
    ["thumb=0", "thumb/square"],
    ["thumb=P", "thumb/square"],
    ["thumb=p&orientation=l", "thumb/portrait"],
    ["thumb=l&orientation=p", "thumb/landscape"],
    ["thumb=1&orientation=", "thumb/square"],
    ["width=&width=5", "web"],
    ["width=5&width=6", "width/5"],
    ["width=+5", "web"],
    ["width=5px", "web"],
    ["width=640&height=x", "width/640"],
    ["width=0.00001", "web"],
    ["width=1.5", "width/2"],
    ["width=640.6&height=0.4", "width/641/height/1"],
    ["scale=0", "web"],
    ["scale=200", "scale/200"],
    ["scale=33.3333", "scale/33.3333"],
    ["scale=33.33333", "web"],
    ["scale=x&width=5", "width/5"],
    // The document tells of each alone: pixels say more than percent.
    ["scale=50&width=5", "width/5"],
    ["height=7&scale=50", "height/7"],
    ["scale=50&width=5&height=7", "width/5/height/7"],
    ["scale=50&thumb=1", "thumb/square"],
    ["scale=50&width=0", "scale/50"],
    ["quality=5", "web"],
    ["thumb=p", "thumb/portrait"],
    ["thumb=l", "thumb/landscape"],
    ["orientation=p&thumb=1", "thumb/portrait"],
    ["thumb=1&orientation=l", "thumb/landscape"],
    ["thumb=1&orientation=x", "thumb/square"],
    ["thumb=1&width=5", "thumb/square"],
    ["orientation=p", "web"],
    ["width=640", "width/640"],
    ["height=480", "height/480"],
    ["height=400&width=600", "width/600/height/400"],
    ["scale=50", "scale/50"],
    ["scale=12.5", "scale/12.5"],
    ["scale=50.0", "scale/50"],
    ["width=0", "web"],
    ["width=-5", "web"],
    ["width=1e9", "web"],
    ["width=99999999", "web"],
    ["width=0.2", "width/1"],
    ["width=640.4", "width/640"],
    ["width=../../x", "web"],
  ])("%s → %s", (query, slot) => {
    expect(slotOf(scalingOf(parseQuery(query)))).toBe(slot);
  });
});

const side = fc.integer({ min: 1, max: 999_999 });
const percent = fc.integer({ min: 1, max: 9_999_999 }).map((number) => number / 10_000);
/** Every scaling that has a name of its own. */
const anyScaling: fc.Arbitrary<Scaling> = fc.oneof(
  fc.constant({}),
  fc.record({ width: side, height: side }, { requiredKeys: [] }),
  percent.map((scale) => ({ scale })),
  fc.constantFrom("square", "portrait", "landscape").map((thumb) => ({ thumb }) as Scaling),
);
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("scalingOfSlot", () => {
  it("finds the scaling again in its slot and in its query", () => {
    fc.assert(
      fc.property(anyScaling, (scaling) => {
        expect(scalingOfSlot(slotOf(scaling))).toEqual(scaling);
        expect(plain(scalingOf(parseQuery(queryOfScaling(scaling))))).toEqual(plain(scaling));
      }),
      { numRuns: 1000 },
    );
  });
});

const { media: defaults } = ConfigSchema.parse({ origin: { baseUrl: "https://o.test" } });

describe("slotTable", () => {
  const table = (variants: Scaling[], width = 1600) =>
    slotTable({ ...defaults, web: { width }, variants });

  it("of the default configuration has every kind of slot, each in order", () => {
    expect(slotTable(defaults)).toEqual({
      widths: [
        [320, "width/320"],
        [640, "width/640"],
        [960, "width/960"],
        [1280, "width/1280"],
        [1600, "web"],
      ],
      heights: [[480, "height/480"]],
      scales: [
        [50, "scale/50"],
        [100, "scale/100"],
      ],
      boxes: [
        [300, 300, "thumb/square"],
        [300, 400, "thumb/portrait"],
        [400, 300, "thumb/landscape"],
        [600, 400, "width/600/height/400"],
      ],
      largest: "scale/100",
    });
  });

  it.each<[string, Scaling[], Slot]>([
    ["nothing but the web version", [], "web"],
    ["a wider one", [{ width: 2000 }], "width/2000"],
    ["only narrower ones", [{ width: 100 }], "web"],
    ["the whole image", [{ width: 2000 }, { scale: 100 }], "scale/100"],
    ["a part of it", [{ scale: 99 }], "web"],
    ["a height alone, which nothing compares with", [{ height: 5000 }], "web"],
  ])(
    "where originals are not published, with %s answers what is larger than everything with %s",
    (_, variants, largest) => {
      const media = { ...defaults, publishOriginals: false, variants };
      expect(slotTable(media).largest).toBe(largest);
      expect(table(variants).largest).toBe("scale/100");
    },
  );

  it("prefers the box that was configured to the thumbnail of the same size", () => {
    const [box] = table([{ width: 300, height: 300 }]).boxes;
    expect(box).toEqual([300, 300, "width/300/height/300"]);
  });

  it("prefers the slot that was configured to the web version of the same width", () => {
    expect(table([{ width: 1600 }]).widths).toEqual([[1600, "width/1600"]]);
  });
});

describe("nearestSlotOf", () => {
  const table = slotTable({
    ...defaults,
    web: { width: 1600 },
    variants: [
      { width: 1280 },
      { width: 320 },
      { width: 640 },
      { height: 480 },
      { height: 960 },
      { width: 600, height: 400 },
      { scale: 50 },
      { scale: 25 },
    ],
  });

  it.each<[Scaling, Slot]>([
    [{}, "web"],
    [{ thumb: "square" }, "thumb/square"],
    [{ thumb: "portrait", width: 5, scale: 5 }, "thumb/portrait"],
    [{ width: 1 }, "width/320"],
    [{ width: 320 }, "width/320"],
    [{ width: 321 }, "width/640"],
    [{ width: 1281 }, "web"],
    [{ width: 1600 }, "web"],
    // Above all slots the original's size, which no answer exceeds: rule 3 of the document.
    [{ width: 1601 }, "scale/100"],
    [{ width: 999_999 }, "scale/100"],
    [{ height: 1 }, "height/480"],
    [{ height: 481 }, "height/960"],
    [{ height: 961 }, "scale/100"],
    [{ width: 600, height: 400 }, "width/600/height/400"],
    // A larger box of nearly the same shape, the smallest first.
    [{ width: 300, height: 200 }, "width/600/height/400"],
    [{ width: 590, height: 400 }, "width/600/height/400"],
    [{ width: 300, height: 300 }, "thumb/square"],
    [{ width: 250, height: 245 }, "thumb/square"],
    // Where there is none, a slot that no image has: cropped in another way it would be another picture.
    [{ width: 500, height: 300 }, "width/500/height/300"],
    [{ width: 600, height: 401 }, "width/600/height/401"],
    [{ width: 6000, height: 4000 }, "width/6000/height/4000"],
    [{ width: 60, height: 40 }, "width/60/height/40"],
    [{ width: 1, height: 9999 }, "width/1/height/9999"],
    [{ scale: 10 }, "scale/25"],
    [{ scale: 25 }, "scale/25"],
    [{ scale: 25.0001 }, "scale/50"],
    [{ scale: 51 }, "scale/100"],
    [{ scale: 100 }, "scale/100"],
    [{ scale: 200 }, "scale/100"],
    [{ scale: 10, width: 1 }, "width/320"],
    [{ scale: 60, width: 600, height: 400 }, "width/600/height/400"],
  ])("%o → %s", (scaling, slot) => {
    expect(nearestSlotOf(table, scaling)).toBe(slot);
  });

  it("answers each configured variant with itself, and all but boxes with a slot that there is", () => {
    const variants = fc.array(
      fc.oneof(
        fc.record({ width: side, height: side }, { requiredKeys: ["width"] }),
        fc.record({ height: side }),
        fc.integer({ min: 1, max: 100 }).map((scale) => ({ scale })),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(variants, anyScaling, (chosen, scaling) => {
        const made = slotTable({ ...defaults, web: { width: 1600 }, variants: chosen });
        const there = new Set<Slot>(["web", "scale/100"]);
        for (const shape of thumbShapes) there.add(`thumb/${shape}`);
        if (scaling.width !== undefined && scaling.height !== undefined) there.add(slotOf(scaling));
        for (const variant of chosen) {
          there.add(slotOf(variant));
          expect(nearestSlotOf(made, variant)).toBe(slotOf(variant));
        }
        expect(there).toContain(nearestSlotOf(made, scaling));
        // It is published as JSON.
        expect(nearestSlotOf(plain(made) as typeof made, scaling)).toBe(
          nearestSlotOf(made, scaling),
        );
      }),
    );
  });
});

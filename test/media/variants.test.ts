import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigSchema } from "../../src/config.ts";
import { planCascade } from "../../src/media/cascade.ts";
import {
  planVariants,
  type Sides,
  type Size,
  scaledSize,
  shownRegion,
  sidesOf,
} from "../../src/media/variants.ts";

const { media } = ConfigSchema.parse({ origin: { baseUrl: "https://media.example.org/api" } });
const side = fc.integer({ min: 1, max: 20_000 });
const size = fc.record({ width: side, height: side });
const percent = fc.double({ min: 0.01, max: 400, noNaN: true });
const sides: fc.Arbitrary<Sides> = fc.oneof(
  fc.record({ width: side }),
  fc.record({ height: side }),
  fc.record({ scale: percent }),
  fc.record({ width: side, height: side }),
);
const proportional: fc.Arbitrary<Sides> = fc.oneof(
  fc.record({ width: side }),
  fc.record({ height: side }),
  fc.record({ scale: percent }),
);

describe("scaledSize", () => {
  it.each<[Size, Sides, Size]>([
    [{ width: 3000, height: 2000 }, { width: 600 }, { width: 600, height: 400 }],
    [{ width: 3000, height: 2000 }, { height: 400 }, { width: 600, height: 400 }],
    [{ width: 3000, height: 2000 }, { scale: 50 }, { width: 1500, height: 1000 }],
    [{ width: 3000, height: 2000 }, { scale: 200 }, { width: 3000, height: 2000 }],
    [{ width: 3000, height: 2000 }, { width: 4000 }, { width: 3000, height: 2000 }],
    [{ width: 3000, height: 2000 }, { height: 4000 }, { width: 3000, height: 2000 }],
    [{ width: 3000, height: 2000 }, {}, { width: 3000, height: 2000 }],
    [
      { width: 3000, height: 2000 },
      { width: 300, height: 300 },
      { width: 300, height: 300 },
    ],
    [
      { width: 3000, height: 200 },
      { width: 300, height: 300 },
      { width: 300, height: 200 },
    ],
    [
      { width: 100, height: 80 },
      { width: 300, height: 300 },
      { width: 100, height: 80 },
    ],
    [{ width: 999, height: 333 }, { width: 500 }, { width: 500, height: 167 }],
    [{ width: 10_000, height: 3 }, { width: 100 }, { width: 100, height: 1 }],
    [{ width: 5, height: 5 }, { scale: 0.1 }, { width: 1, height: 1 }],
    [{ width: 3, height: 2 }, { scale: 50 }, { width: 2, height: 1 }],
  ])("of %o by %o → %o", (original, wanted, expected) => {
    expect(scaledSize(original, wanted)).toEqual(expected);
  });

  it("is never above the original and never below a pixel, in whole pixels", () => {
    fc.assert(
      fc.property(size, sides, (original, wanted) => {
        const { width, height } = scaledSize(original, wanted);
        expect(Number.isInteger(width) && Number.isInteger(height)).toBe(true);
        expect(width).toBeGreaterThanOrEqual(1);
        expect(height).toBeGreaterThanOrEqual(1);
        expect(width).toBeLessThanOrEqual(original.width);
        expect(height).toBeLessThanOrEqual(original.height);
      }),
    );
  });

  it("keeps the proportions to the nearest pixel", () => {
    fc.assert(
      fc.property(size, proportional, (original, wanted) => {
        const { width, height } = scaledSize(original, wanted);
        const factor =
          wanted.scale === undefined
            ? wanted.width === undefined
              ? Math.min(1, (wanted.height ?? 0) / original.height)
              : Math.min(1, wanted.width / original.width)
            : Math.min(1, wanted.scale / 100);
        for (const [scaled, exact] of [
          [width, original.width * factor],
          [height, original.height * factor],
        ] as const) {
          if (exact >= 1) expect(Math.abs(scaled - exact)).toBeLessThanOrEqual(0.5 + 1e-6);
          else expect(scaled).toBe(1);
        }
      }),
    );
  });

  it("gives the same again when its own result is asked for", () => {
    fc.assert(
      fc.property(size, sides, (original, wanted) => {
        const once = scaledSize(original, wanted);
        expect(scaledSize(original, once)).toEqual(once);
        expect(scaledSize(once, once)).toEqual(once);
      }),
    );
  });

  it("never shrinks when more is asked for", () => {
    fc.assert(
      fc.property(size, side, side, (original, a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        const small = scaledSize(original, { width: less });
        const large = scaledSize(original, { width: more });
        expect(large.width).toBeGreaterThanOrEqual(small.width);
        expect(large.height).toBeGreaterThanOrEqual(small.height);
      }),
    );
  });
});

describe("shownRegion", () => {
  it.each([
    [{ width: 3000, height: 2000 }, { width: 300, height: 300 }, [500, 0, 2000, 2000]],
    [{ width: 2000, height: 3000 }, { width: 300, height: 300 }, [0, 500, 2000, 2000]],
    [{ width: 3000, height: 2000 }, { width: 300, height: 400 }, [750, 0, 1500, 2000]],
    [{ width: 3000, height: 2000 }, { width: 600, height: 400 }, [0, 0, 3000, 2000]],
    [{ width: 3000, height: 2000 }, { width: 600 }, [0, 0, 3000, 2000]],
    // Wider than the original: limited to 100 × 50, taken from the centre without scaling.
    [{ width: 100, height: 80 }, { width: 300, height: 50 }, [0, 15, 100, 50]],
    [{ width: 101, height: 50 }, { width: 50, height: 50 }, [25, 0, 50, 50]],
  ] as const)("of %o by %o → %o", (original, wanted, [left, top, width, height]) => {
    expect(shownRegion(original, wanted)).toEqual({ left, top, width, height });
  });

  it("lies in the original, centred, and is never enlarged", () => {
    fc.assert(
      fc.property(size, sides, (original, wanted) => {
        const region = shownRegion(original, wanted);
        const scaled = scaledSize(original, wanted);
        expect(region.width).toBeGreaterThanOrEqual(scaled.width);
        expect(region.height).toBeGreaterThanOrEqual(scaled.height);
        for (const [start, length, whole] of [
          [region.left, region.width, original.width],
          [region.top, region.height, original.height],
        ] as const) {
          const after = whole - start - length;
          expect(start).toBeGreaterThanOrEqual(0);
          expect(after - start === 0 || after - start === 1).toBe(true);
        }
      }),
    );
  });

  it("touches two opposite edges, and has the proportions of the result to a pixel", () => {
    fc.assert(
      fc.property(size, size, (original, box) => {
        const region = shownRegion(original, box);
        const { width, height } = scaledSize(original, box);
        expect(region.width === original.width || region.height === original.height).toBe(true);
        const error = Math.min(
          Math.abs(region.height - (height * region.width) / width) * (width / region.width),
          Math.abs(region.width - (width * region.height) / height) * (height / region.height),
        );
        expect(error).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("sidesOf", () => {
  it("puts the configured sizes in for the web version and the thumbnails", () => {
    expect(sidesOf({}, media)).toEqual({ width: 1600 });
    expect(sidesOf({ thumb: "portrait" }, media)).toEqual({ width: 300, height: 400 });
    expect(sidesOf({ thumb: "landscape", scale: 5 }, media)).toEqual({ width: 400, height: 300 });
    expect(sidesOf({ scale: 5 }, media)).toEqual({ scale: 5 });
  });
});

describe("planVariants", () => {
  it("answers every configured request of a large original", () => {
    const plans = planVariants({ width: 4000, height: 3000 }, media);
    const shown = plans.map(({ slots, width, height, crop }) => [
      slots.join(" "),
      `${width}x${height}`,
      crop,
    ]);
    expect(shown).toEqual([
      ["web", "1600x1200", false],
      ["thumb/square", "300x300", true],
      ["thumb/portrait", "300x400", true],
      ["thumb/landscape", "400x300", false],
      ["width/320", "320x240", false],
      ["width/640 height/480", "640x480", false],
      ["width/960", "960x720", false],
      ["width/1280", "1280x960", false],
      ["width/600/height/400", "600x400", true],
      ["scale/50", "2000x1500", false],
    ]);
  });

  it("gives requests above a small original one plan: the original's own pixels", () => {
    const plans = planVariants({ width: 200, height: 150 }, media);
    expect(plans[0]).toMatchObject({ width: 200, height: 150, crop: false });
    expect(plans[0]?.slots).toEqual([
      "web",
      "thumb/square",
      "thumb/portrait",
      "thumb/landscape",
      "width/320",
      "width/640",
      "width/960",
      "width/1280",
      "height/480",
      "width/600/height/400",
    ]);
  });

  it("makes JPEG first and always, and other formats as configured", () => {
    const formats = (configured: ("jpeg" | "webp" | "avif")[]) =>
      planVariants({ width: 9, height: 9 }, { ...media, formats: configured })[0]?.formats;
    expect(formats(["avif", "webp"])).toEqual(["jpeg", "avif", "webp"]);
    expect(formats(["webp", "jpeg"])).toEqual(["jpeg", "webp"]);
  });

  it("leaves a format out where it cannot hold the size", () => {
    const variants = [{ height: 900 }];
    const plans = planVariants({ width: 40_000, height: 1000 }, { ...media, variants });
    expect(plans.find(({ slots }) => slots.includes("height/900"))?.formats).toEqual(["jpeg"]);
  });

  it("names every slot once, and no pixels twice", () => {
    fc.assert(
      fc.property(size, (original) => {
        const plans = planVariants(original, media);
        const slots = plans.flatMap((plan) => plan.slots);
        expect(slots).toHaveLength(11);
        expect(new Set(slots).size).toBe(11);
        const pixels = plans.map(({ width, height, region }) =>
          JSON.stringify([width, height, region]),
        );
        expect(new Set(pixels).size).toBe(pixels.length);
      }),
    );
  });
});

describe("planCascade", () => {
  const variants = fc.array(fc.record({ width: side, height: side }), { maxLength: 6 });

  it("never enlarges anything by more than a rounded pixel, and reads only what is there", () => {
    fc.assert(
      fc.property(size, variants, (original, boxes) => {
        const plans = planVariants(original, { ...media, variants: boxes });
        const { base, steps } = planCascade(original, plans);
        expect(base.width).toBeLessThanOrEqual(original.width);
        expect(base.height).toBeLessThanOrEqual(original.height);
        expect(steps).toHaveLength(plans.length);
        const raws: (Size | undefined)[] = [base];
        for (const { plan, source, extract } of steps) {
          const raw = raws[source] as Size;
          const from = extract ?? raw;
          expect(from.width + (extract?.left ?? 0)).toBeLessThanOrEqual(raw.width);
          expect(from.height + (extract?.top ?? 0)).toBeLessThanOrEqual(raw.height);
          expect(from.width).toBeGreaterThanOrEqual(plan.width - 1);
          expect(from.height).toBeGreaterThanOrEqual(plan.height - 1);
          raws.push(plan.crop ? undefined : plan);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("decodes to the largest size that is wanted, not to the original's", () => {
    const original = { width: 6000, height: 4000 };
    expect(planCascade(original, planVariants(original, media)).base).toEqual({
      width: 3000,
      height: 2000,
    });
    // A square out of a panorama needs more of it than any whole picture.
    const panorama = { width: 12_000, height: 600 };
    expect(planCascade(panorama, planVariants(panorama, { ...media, variants: [] })).base).toEqual({
      width: 8000,
      height: 400,
    });
  });
});

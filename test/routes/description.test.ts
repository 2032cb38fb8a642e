import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FilterIndex, positionsOf } from "../../src/routes/description.ts";
import type { Filters } from "../../src/routes/filters.ts";

const index: FilterIndex = {
  perPage: 20,
  // A slug beside the id of the same category.
  categories: { one: 0, two: 1, first: 0 },
  tags: { a: 0, b: 1, c: 2 },
  items: [
    [202405, 0, 0, 1],
    [202405, 1, 0],
    [202312, 0, 1],
    [202401, -1],
    [0, 1, 0, 1],
  ],
};

describe("positionsOf", () => {
  it.each<[Filters, number[], number[]?]>([
    [{}, [0, 1, 2, 3, 4]],
    [{ year: 2024 }, [0, 1, 3]],
    [{ year: 2024, month: 5 }, [0, 1]],
    [{ year: 2024, month: 13 }, []],
    [{ year: 2022 }, []],
    // Articles without a date are in no year, not even in the year 0.
    [{ year: 0 }, []],
    [{ year: 0, month: 0 }, []],
    [{ category: "one" }, [0, 2]],
    [{ category: "first" }, [0, 2]],
    [{ category: "nothing" }, []],
    [{ category: "-1" }, []],
    [{ category: "toString" }, []],
    [{ category: "__proto__" }, []],
    [{ tags: ["a"] }, [0, 1, 4]],
    [{ tags: ["a", "b"] }, [0, 1, 2, 4], [0, 4]],
    [{ tags: ["b", "a"] }, [0, 1, 2, 4], [0, 4]],
    [{ tags: ["c"] }, []],
    [{ tags: ["a", "nothing"] }, [0, 1, 4], []],
    [{ tags: ["nothing"] }, []],
    [{ tags: [] }, [0, 1, 2, 3, 4]],
    [{ year: 2024, category: "two", tags: ["a"] }, [1]],
  ])("%o → any %j, all %j", (filters, any, all = any) => {
    expect(positionsOf(index, filters, "any")).toEqual(any);
    expect(positionsOf(index, filters, "all")).toEqual(all);
  });

  it("narrows down: more filters never list more, and all never more than any", () => {
    const value = fc.constantFrom("a", "b", "c", "x");
    const some = fc.record(
      {
        year: fc.constantFrom(2023, 2024, 2025),
        category: fc.constantFrom("one", "two", "first", "x"),
        tags: fc.uniqueArray(value, { minLength: 1 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(some, (filters) => {
        const any = positionsOf(index, filters, "any");
        expect(any).toEqual(expect.arrayContaining(positionsOf(index, filters, "all")));
        const { tags: _, ...fewer } = filters;
        expect(positionsOf(index, fewer, "any")).toEqual(expect.arrayContaining(any));
      }),
    );
  });
});

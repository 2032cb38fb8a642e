import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assignPermalinks } from "../../src/routes/permalinks.ts";

const item = (id: string, slug: string, createdAt: string | null = null) => ({
  id,
  slug,
  createdAt,
});

describe("assignPermalinks", () => {
  it.each([
    ["a plain slug", [item("1", "hello-world")], ["hello-world"]],
    [
      "the older of two with one slug",
      [item("2", "a", "2024"), item("1", "a", "2023")],
      ["a-2", "a"],
    ],
    ["a slug that is not plain", [item("7f3c0000-0000", "Ünïcode & Co")], ["unicode-co-7f3c0000"]],
    ["a reserved slug", [item("1", "index"), item("2", "con")], ["index-1", "con-2"]],
    ["an empty slug", [item("1", "")], ["1"]],
    [
      "ids that begin alike",
      [item("abcdefgh-1", "A"), item("abcdefgh-2", "A")],
      ["a-abcdefgh", "a-abcdefgh-2"],
    ],
    ["a slug that is taken by such a name", [item("z", "B"), item("1", "b-z")], ["b-z-2", "b-z"]],
  ])("names %s", (_, items, expected) => {
    const names = assignPermalinks(items, "slug");
    expect(items.map(({ id }) => names.get(id))).toEqual(expected);
  });

  it("goes by the id when told to", () => {
    expect(assignPermalinks([item("A", "a")], "id").get("A")).toBe("_41");
  });

  it("gives names that never clash, in any order of the items", () => {
    const slug = fc.oneof(
      fc.string({ unit: fc.constantFrom("a", "b", "-", "A", "1") }),
      fc.constantFrom("a", "a-1", "a-1-2", "index", "été", ""),
    );
    const id = fc.oneof(
      fc.constantFrom("1", "2", "a-1", "A"),
      fc.uuid(),
      fc.string({ minLength: 1 }),
      fc.string({ unit: fc.constantFrom(".", "-", "a"), minLength: 1 }),
    );
    const items = fc.uniqueArray(
      fc.record({ id, slug, createdAt: fc.constantFrom(null, "2023", "2024") }),
      { selector: (entry) => entry.id, maxLength: 12 },
    );
    fc.assert(
      fc.property(items, (entries) => {
        const names = assignPermalinks(entries, "slug");
        expect(names.size).toBe(entries.length);
        const lower = [...names.values()].map((name) => name.toLowerCase());
        expect(new Set(lower).size).toBe(lower.length);
        for (const name of lower) expect(name).toMatch(/^[a-z0-9_-](?:[a-z0-9._-]*[a-z0-9_-])?$/);
        const backwards = assignPermalinks([...entries].reverse(), "slug");
        for (const [entry, name] of names) expect(backwards.get(entry)).toBe(name);
      }),
      { numRuns: 1000 },
    );
  });
});

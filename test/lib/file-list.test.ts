import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FileList, listOf } from "../../src/lib/file-list.ts";

interface Named {
  path: string;
  bytes: number;
  note?: string;
}

const path = fc.oneof(
  fc.constantFrom("a", "b", 'say "a"', "back\\slash", "äöü", "日本", "line\nend", ""),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const files = fc.uniqueArray(
  fc.record({ path, bytes: fc.nat(), note: fc.string({ maxLength: 3000 }) }),
  { selector: (file) => file.path, maxLength: 40 },
);

describe("a list of files", () => {
  it("finds and lists what a map of them would", () => {
    fc.assert(
      fc.property(files, path, (all, other) => {
        const list = listOf<Named>(all);
        const map = new Map(all.map((file) => [file.path, file]));
        expect(list.size).toBe(map.size);
        expect([...list]).toEqual([...map]);
        expect([...list.keys()]).toEqual([...map.keys()]);
        for (const one of [...map.keys(), other]) {
          expect(list.get(one)).toEqual(map.get(one));
          expect(list.has(one)).toBe(map.has(one));
        }
      }),
    );
  });

  it("has the lines of its places in order, in whichever order they came", () => {
    fc.assert(
      fc.property(files, fc.infiniteStream(fc.nat()), (all, numbers) => {
        const ranks = all.map((_, at) => ({ at, rank: numbers.next().value as number }));
        const list = new FileList<Named>();
        for (const { at } of ranks.sort((a, b) => a.rank - b.rank)) list.put(at, all[at] as Named);
        const text = Buffer.concat([...list.pieces()]).toString();
        expect(text).toBe(all.map((file) => `${JSON.stringify(file)}\n`).join(""));
        const again = new FileList<Named>();
        for (const line of text.split("\n").slice(0, -1)) again.addLine(Buffer.from(line));
        expect([...again]).toEqual([...list]);
      }),
    );
  });

  it("holds many, in several pieces, and lines that are longer than a piece", () => {
    const all = Array.from({ length: 20_000 }, (_, at) => {
      const note = at === 9_999 ? "x".repeat(3_000_000) : "y".repeat(at % 200);
      return { path: `articles/${at}/index.html`, bytes: at, note };
    });
    const list = listOf<Named>(all);
    expect([...list.values()]).toEqual(all);
    expect(list.get("articles/9999/index.html")?.note).toHaveLength(3_000_000);
    expect(all.every((file) => list.get(file.path)?.bytes === file.bytes)).toBe(true);
    expect(list.has("articles/20000/index.html")).toBe(false);
  });

  it("knows which places are still free", () => {
    const list = new FileList<Named>();
    list.put(5_000, { path: "last", bytes: 1 });
    expect([0, 4_999, 5_000, 5_001].map((at) => list.isFilled(at))).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect(list.get("last")).toEqual({ path: "last", bytes: 1 });
  });
});

import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTable, packKey, unpackDigest } from "../../src/store/table.ts";

describe("a table", () => {
  it("holds what a Map of the same changes holds, beyond its first size", () => {
    const change = fc.tuple(
      fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "")),
      fc.nat(2 ** 32 - 1),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 600, size: "max" }), (changes) => {
        const table = createTable(2);
        const map = new Map<string, number>();
        for (const [key, number] of changes) {
          expect(table.set(key, number, ~number)).toBe(!map.has(key));
          map.set(key, number);
        }
        expect(table.size).toBe(map.size);
        for (const [key, number] of map) {
          expect([...(table.get(key) ?? [])]).toEqual([number, ~number >>> 0]);
        }
        expect(table.has("a key that was never set")).toBe(false);
        expect(table.get("a key that was never set")).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  it("tells an id of 32 hexadecimal digits from every other, also from the one whose digest it is", () => {
    const uuid = fc.uuid().map((id) => id.replaceAll("-", ""));
    fc.assert(
      fc.property(fc.oneof(fc.string(), uuid, fc.uuid()), (id) => {
        const digest = createHash("sha256").update(id).digest("hex").slice(0, 32);
        const dashed = digest.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
        const ids = [...new Set([id, digest, dashed, digest.toUpperCase(), dashed.toUpperCase()])];
        const table = createTable(1);
        for (const [n, one] of ids.entries()) expect(table.set(one, n)).toBe(true);
        expect(table.size).toBe(ids.length);
        expect(ids.map((one) => table.get(one)?.[0])).toEqual([...ids.keys()]);
      }),
    );
  });

  it("gives digests back as they were", () => {
    const digest = fc.string({
      unit: fc.constantFrom(..."0123456789abcdef"),
      minLength: 32,
      maxLength: 32,
    });
    fc.assert(
      fc.property(digest, (hex) => {
        expect(unpackDigest(packKey(hex))).toBe(hex);
      }),
    );
  });
});

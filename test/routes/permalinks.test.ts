import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assignPermalinks, type Named } from "../../src/routes/permalinks.ts";
import { foldedPath } from "../../src/routes/readable.ts";
import { encodeSegment } from "../../src/routes/segments.ts";

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
    ["a slug that is not plain", [item("7f3c0000-0000", "R&D – Co")], ["r-d-co-7f3c0000"]],
    // WordPress keeps slugs like these, and cuts them after 200 bytes (sanitize_title_with_dashes, utf8_uri_encode).
    ["an encoded slug", [item("1", "%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82")], ["привет"]],
    ["one in small letters, cut", [item("1", "caf%c3%a9-%e4%bd%a0%e5")], ["café-你"]],
    ["one of two writings", [item("1", "%C3%BC", "1"), item("2", "ü", "2")], ["ü", "ü-d4735e3a"]],
    ["a slug with an encoded space", [item("7f3c0000-0000", "a%20b")], ["a-b-7f3c0000"]],
    ["a percent that is one", [item("7f3c0000-0000", "100%-sure")], ["100-sure-7f3c0000"]],
    ["an encoded way up", [item("1", "%2e%2e%2Fetc"), item("2", "%00")], ["etc-1", "2"]],
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

  it("shows no encoded slug that must not be shown", () => {
    const hides = (slug: string) => slug.includes("secret") || slug.includes("%73ecret");
    const names = assignPermalinks([item("1", "%73ecret-ü")], "slug", "unicode", hides);
    expect(names.get("1")).toMatch(/^[\da-f]{8}$/);
  });

  it("goes by the id when told to", () => {
    expect(assignPermalinks([item("A", "a")], "id").get("A")).toBe("_41");
  });

  it("gives names that never clash, in any order of the items", () => {
    const slug = fc.oneof(
      fc.string({ unit: fc.constantFrom("a", "b", "-", "A", "1") }),
      fc.constantFrom("a", "a-1", "a-1-2", "index", "A–Z", ""),
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
        expect(names).toEqual(namesBefore(entries));
        const backwards = assignPermalinks([...entries].reverse(), "slug");
        for (const [entry, name] of names) expect(backwards.get(entry)).toBe(name);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("names with letters beyond ASCII", () => {
  const named = (paths: "unicode" | "ascii", ...items: Named[]) => {
    const names = assignPermalinks(items, "slug", paths);
    return items.map(({ id }) => names.get(id));
  };

  it.each([
    ["البحر والناس", "البحر-والناس", "lbhr-wlns"],
    ["灯塔", "灯塔", "dengta"],
    ["Новости: Москва, 2024!", "новости-москва-2024", "novosti-moskva-2024"],
    ["नमस्ते दुनिया", "नमस्ते-दुनिया", "nmste-duniya"],
    ["می\u200cخواهم", "میخواهم", "mykhwhm"],
    ["Café 灯塔", "café-灯塔", "cafe-dengta"],
    ["Cafe\u0301 灯塔", "café-灯塔", "cafe-dengta"],
    ["../灯塔\u202e.html?x=<b>\ud800", "灯塔-html-x-b", "dengta-html-x-b"],
    ["٢٠٢٤", "٢٠٢٤", "2024"],
    ["Énergie & Climat", "énergie-climat", "energie-climat"],
    ["Straße", "straße", "strasse"],
    ["Hawaiʻi", "hawaiʻi", "hawaii"],
  ])("are the words of %s", (slug, unicode, ascii) => {
    // The id of a tag is its slug.
    expect(named("unicode", item(slug, slug))).toEqual([unicode]);
    expect(named("ascii", item(slug, slug))).toEqual([ascii]);
  });

  it("have a digest behind where an older item has the words", () => {
    const [first, second, third] = named(
      "unicode",
      item("1", "灯塔", "2023"),
      item("2", "灯塔!", "2024"),
      item("3", "灯塔", "2025"),
    );
    expect(first).toBe("灯塔");
    expect(second).toMatch(/^灯塔-[0-9a-f]{8}$/);
    expect(third).toMatch(/^灯塔-[0-9a-f]{8}$/);
    expect(third).not.toBe(second);
  });

  it("are cut where a segment would be too long, and keep a letter's marks", () => {
    const [chinese, hindi] = named(
      "unicode",
      item("1", "灯".repeat(100)),
      item("2", "\u0915\u093f".repeat(100)),
    );
    expect(chinese).toBe("灯".repeat(58));
    expect(hindi).toBe("\u0915\u093f".repeat(29));
  });

  // A mark is no letter (Unicode 4.5), also where its capital is one, as that of U+0345.
  it.each(["🎉", "\u0301", "\u0345"])(
    "are those of the id where a slug has no letters: %j",
    (slug) => {
      expect(named("unicode", item("7f3c0000-0000", slug))).toEqual(["7f3c0000"]);
    },
  );

  const slug = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 90 }),
    fc.string({ unit: "binary", maxLength: 90 }),
    fc.string({ unit: fc.constantFrom("灯", "塔", "-", "!", "a", "Σ", "ς", "é", "e\u0301", "ب") }),
    fc.constantFrom(
      "灯塔",
      "dengta",
      "Dengta!",
      "ΟΔΟΣ",
      "οδοσ",
      "οδος",
      "ｶ",
      "カ",
      "índex",
      "コン",
    ),
  );
  const id = fc.oneof(fc.uuid(), fc.constantFrom("1", "2", "A"), slug);
  const items = fc.uniqueArray(
    fc.record({ id, slug, createdAt: fc.constantFrom(null, "2023", "2024") }),
    { selector: (entry) => entry.id, maxLength: 12 },
  );

  it.each(["unicode", "ascii"] as const)(
    "never clash, fit every file system, and leave those of ASCII as they are: %s",
    (paths) => {
      const check = (entries: Named[]): void => {
        const names = assignPermalinks(entries, "slug", paths);
        expect(names.size).toBe(entries.length);
        expect(new Set([...names.values()].map(foldedPath)).size).toBe(entries.length);
        for (const name of names.values()) {
          expect(name).toMatch(
            /^[\p{L}\p{M}\p{N}_-](?:[\p{L}\p{M}\p{N}._-]*[\p{L}\p{M}\p{N}_-])?$/u,
          );
          expect(name).toBe(name.normalize("NFC"));
          expect(name).not.toMatch(/^(?:index|page|con|prn|aux|nul|com\d|lpt\d)$/);
          expect(Buffer.byteLength(`${name}.html`)).toBeLessThanOrEqual(200);
        }
        const ascii = entries.filter(({ slug }) => !beyondAscii.test(slug.normalize("NFC")));
        for (const [one, name] of namesBefore(ascii)) expect(names.get(one)).toBe(name);
        const backwards = assignPermalinks([...entries].reverse(), "slug", paths);
        for (const [entry, name] of names) expect(backwards.get(entry)).toBe(name);
      };
      fc.assert(fc.property(items, check), { numRuns: 500 });
    },
  );

  it("stay as they are when other items follow", () => {
    const check = (before: Named[], after: Named[]): void => {
      const known = new Set(before.map(({ id }) => id));
      const later = after.filter(({ id }) => !known.has(id));
      const all = [...before, ...later.map((entry) => ({ ...entry, createdAt: "2025" }))];
      const dated = (entry: Named): Named => ({ ...entry, createdAt: entry.createdAt ?? "2022" });
      const [first, second] = [before, all].map((some) =>
        assignPermalinks(some.map(dated), "slug"),
      );
      for (const entry of before) {
        if (!/[灯塔]/.test(entry.slug)) continue;
        expect(second?.get(entry.id)).toBe(first?.get(entry.id));
      }
    };
    fc.assert(fc.property(items, items, check), { numRuns: 300 });
  });
});

const beyondAscii = /(?![A-Za-z])\p{L}|(?!\d)\p{Nd}/u;

/** Names as they were before other letters had any of their own: addresses that are in the world. */
function namesBefore(items: readonly Named[]): Map<string, string> {
  const names = new Map<string, string>();
  const used = new Set<string>();
  const plain = /^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/;
  const taken = /^(?:index|page|con|prn|aux|nul|com[0-9]|lpt[0-9])$/;
  const keyOf = ({ createdAt, id }: Named): string[] => [createdAt ?? "9", id];
  const ordered = [...items].sort((one, other) => {
    const [a = "", b = ""] = keyOf(one);
    const [c = "", d = ""] = keyOf(other);
    return a === c ? (b < d ? -1 : 1) : a < c ? -1 : 1;
  });
  const later = ordered.filter(({ id, slug }) => {
    if (!plain.test(slug) || taken.test(slug) || used.has(slug)) return true;
    used.add(slug);
    names.set(id, slug);
    return false;
  });
  for (const { id, slug } of later) {
    const ascii = slug.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "");
    const words = ascii
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, 60)
      .replace(/^-+|-+$/g, "");
    const stem = encodeSegment(id);
    const joined = (end: string): string => (words === "" ? end : `${words}-${end}`);
    let name = joined(stem.slice(0, 8).replace(/\.+$/, ""));
    for (let n = 1; used.has(name.toLowerCase()); n++) {
      name = n === 1 ? joined(stem) : `${joined(stem)}-${n}`;
    }
    used.add(name.toLowerCase());
    names.set(id, name);
  }
  return names;
}

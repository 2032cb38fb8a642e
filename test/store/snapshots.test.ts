import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffSnapshots } from "../../src/store/diff.ts";
import type { ListDraft, Ref, SnapshotManifest, Snapshots } from "../../src/store/snapshots.ts";
import { afterSnapshot, olderFirst, openSnapshots } from "../../src/store/snapshots.ts";
import { openStore } from "../../src/store/store.ts";
import { filesOf } from "../crawl/support.ts";
import { temporaryFolder } from "./support.ts";

const ref = (n: number, version = 0): Ref => ({
  id: `0a1b2c3d-0000-4000-8000-${String(n).padStart(12, "0")}`,
  digest: String(version * 1e9 + n).padStart(32, "0"),
});
const refs = (count: number): Ref[] => Array.from({ length: count }, (_, n) => ref(n));
const list = (items: Iterable<Ref>): ListDraft => ({
  refs: items,
  perPage: 20,
  envelope: '{"data":[]}',
  overrides: { "2": "{}" },
});
const draft = (
  lists: SnapshotManifest["lists"],
  time = "2024-05-02T01:00:00.000Z",
): Omit<SnapshotManifest, "format" | "id"> => ({
  time,
  origin: "https://a.test/api",
  complete: true,
  lists,
  proof: [{ list: "articles", collected: 1, expected: 1, pages: 1, passes: 1, agreed: true }],
  problems: [],
  remarks: [],
});

function open(): { snapshots: Snapshots; folder: string } {
  const folder = temporaryFolder();
  return { snapshots: openSnapshots(folder), folder };
}

describe("the lists of a snapshot", () => {
  it("keep the names on disk that every version has given them", () => {
    const { snapshots, folder } = open();
    const saved = snapshots.saveList(list(refs(1)));
    const names = [
      "images.unlisted",
      "images.retracted",
      "unsettled",
      "withdrawn",
      "videos.unlisted",
    ];
    const lists = Object.fromEntries(names.map((name) => [name, saved]));
    const { manifest } = snapshots.commit(draft(lists));
    const stored = JSON.parse(readFileSync(join(folder, `${manifest.id}.json`), "utf8"));
    expect(Object.keys(stored.lists)).toEqual(names);
    expect(Object.keys(snapshots.load(manifest.id).lists)).toEqual(names);
    expect(snapshots.commit(draft(lists, "2024-05-03T01:00:00.000Z")).changed).toBe(false);
    snapshots.close();
  });

  it("come back in order, whatever the ids are", () => {
    const { snapshots } = open();
    const anyRef = fc.record({ id: fc.string(), digest: fc.string() });
    fc.assert(
      fc.property(fc.array(anyRef, { maxLength: 50 }), (items) => {
        const saved = snapshots.saveList(list(items));
        expect(saved.count).toBe(items.length);
        expect([...snapshots.refs(saved)]).toEqual(items);
      }),
    );
    snapshots.close();
  });

  it.each<[string, (items: Ref[]) => Ref[]]>([
    ["an item is added in front", (items) => [ref(99_999), ...items]],
    ["an item is added in the middle", (items) => items.toSpliced(5_000, 0, ref(99_999))],
    ["an item is removed", (items) => items.toSpliced(3_333, 1)],
    ["an item changes", (items) => items.with(7_777, ref(7_777, 1))],
  ])("share all but a part or two when %s", (_, change) => {
    const { snapshots } = open();
    const before = snapshots.saveList(list(refs(10_000)));
    const after = snapshots.saveList(list(change(refs(10_000))));
    const known = new Set(before.parts);
    expect(before.parts.length).toBeGreaterThan(15);
    const added = after.parts.filter((part) => !known.has(part));
    expect(added.length).toBeGreaterThan(0);
    expect(added.length).toBeLessThanOrEqual(2);
    expect([...snapshots.refs(after)]).toEqual(change(refs(10_000)));
    snapshots.close();
  });
});

describe("a commit", () => {
  it("adds nothing to disk when it would say the same as the latest snapshot", () => {
    const { snapshots, folder } = open();
    const first = snapshots.commit(draft({ articles: snapshots.saveList(list(refs(700))) }));
    expect(first.changed).toBe(true);
    const before = filesOf(folder);
    const lists = { articles: snapshots.saveList(list(refs(700))) };
    const second = snapshots.commit({
      ...draft(lists, "2024-05-03T01:00:00.000Z"),
      proof: first.manifest.proof.map((proof) => ({ ...proof, passes: 2, remark: "moved" })),
    });
    expect(second).toEqual({ manifest: first.manifest, changed: false });
    snapshots.close();
    expect(filesOf(folder)).toEqual(before);
  });

  it.each<[string, Partial<SnapshotManifest>]>([
    ["another origin", { origin: "https://b.test/api" }],
    ["a gap", { complete: false }],
    ["a problem", { problems: [{ subject: "x", reason: "y" }] }],
    ["a remark", { remarks: [{ subject: "x", reason: "y" }] }],
    ["another list", { lists: {} }],
  ])("makes a new snapshot for %s", (_, change) => {
    const { snapshots } = open();
    const lists = { articles: snapshots.saveList(list(refs(3))) };
    const first = snapshots.commit(draft(lists));
    const second = snapshots.commit({ ...draft(lists), ...change });
    expect(second.changed).toBe(true);
    expect(second.manifest.id).not.toBe(first.manifest.id);
    expect(snapshots.latest()).toEqual(second.manifest);
    expect(snapshots.load(first.manifest.id)).toEqual(first.manifest);
    snapshots.close();
  });

  it("has the same remarks as a latest snapshot that was written without any", () => {
    const { snapshots } = open();
    const lists = { articles: snapshots.saveList(list(refs(3))) };
    const { remarks, ...before } = draft(lists);
    expect(snapshots.commit(before).manifest.remarks).toEqual([]);
    expect(snapshots.commit({ ...before, remarks }).changed).toBe(false);
    snapshots.close();
  });

  it("is named after its time, and after its number where a second has two", () => {
    const { snapshots, folder } = open();
    const ids = [1, 2, 3].map(
      (n) => snapshots.commit(draft({ articles: snapshots.saveList(list(refs(n))) })).manifest.id,
    );
    expect(ids).toEqual([
      "2024-05-02T01-00-00Z",
      "2024-05-02T01-00-00Z-2",
      "2024-05-02T01-00-00Z-3",
    ]);
    expect(readdirSync(folder).sort()).toEqual([
      ...ids.map((id) => `${id}.json`).sort(),
      "latest.json",
      "parts",
    ]);
    snapshots.close();
  });

  it("is whole on disk before it is the latest", () => {
    const { snapshots, folder } = open();
    const lists = { articles: snapshots.saveList(list(refs(700))) };
    expect(snapshots.latest()).toBeUndefined();
    const { manifest } = snapshots.commit(draft(lists));
    const other = openSnapshots(folder, { readOnly: true });
    expect([...other.refs(manifest.lists.articles as never)]).toEqual(refs(700));
    expect(readFileSync(join(folder, "latest.json"), "utf8")).toContain(manifest.id);
    other.close();
    snapshots.close();
  });

  it("shows every flipped bit, and is read as it was written before there were seals", () => {
    const { snapshots, folder } = open();
    const lists = { articles: snapshots.saveList(list(refs(3))) };
    const { manifest } = snapshots.commit(draft(lists));
    for (const name of ["latest.json", `${manifest.id}.json`]) {
      const path = join(folder, name);
      const whole = readFileSync(path);
      for (let bit = 0; bit < whole.length * 8; bit++) {
        const damaged = Buffer.from(whole);
        damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
        writeFileSync(path, damaged);
        expect(() => snapshots.latest(), `bit ${bit}`).toThrow(`${path} is damaged`);
      }
      const { sum: _, ...value } = JSON.parse(whole.toString());
      writeFileSync(path, JSON.stringify(value));
      expect(snapshots.latest()).toEqual(manifest);
    }
    snapshots.close();
  });

  it.each(["none", "../latest", "", "2024-05-02T01-00-00Z/../x"])("has no snapshot %j", (id) => {
    const { snapshots } = open();
    expect(() => snapshots.load(id)).toThrow(/^snapshot .* is missing/);
    snapshots.close();
  });
});

describe("the difference of two snapshots", () => {
  const kind = fc.constantFrom("same", "changed", "added", "removed");

  it("counts what was added, changed and removed, wherever it stands", () => {
    const store = openStore(temporaryFolder());
    let second = 0;
    fc.assert(
      fc.property(
        fc.array(kind, { maxLength: 900, size: "max" }),
        fc.boolean(),
        (kinds, reversed) => {
          const before = kinds.flatMap((one, n) => (one === "added" ? [] : [ref(n)]));
          const after = kinds.flatMap((one, n) =>
            one === "removed" ? [] : [ref(n, one === "changed" ? 1 : 0)],
          );
          if (reversed) after.reverse();
          const [old, now] = [before, after].map((items) => {
            const lists = { images: store.snapshots.saveList(list(items)) };
            const time = new Date(1e12 + 1000 * second++).toISOString();
            return store.reader({ ...draft(lists, time), format: 1, id: "x" });
          });
          const count = (wanted: string): number => kinds.filter((one) => one === wanted).length;
          const expected = {
            added: count("added"),
            changed: count("changed"),
            removed: count("removed"),
          };
          const sum = expected.added + expected.changed + expected.removed;
          expect(diffSnapshots(old, now as never)).toEqual(sum === 0 ? {} : { images: expected });
        },
      ),
      { numRuns: 40 },
    );
    store.close();
  });
});

describe("the ids of snapshots", () => {
  it("follow each other in time, with what came between them", () => {
    const [first, second, tenth] = ["", "-2", "-10"].map((end) => `2024-05-02T01-00-00Z${end}`) as [
      string,
      string,
      string,
    ];
    const later = "2024-05-02T01-00-01Z";
    const ordered = [first, second, tenth, later].flatMap((id) => [id, afterSnapshot(id)]);
    expect(ordered.toReversed().sort(olderFirst)).toEqual(ordered);
  });
});

describe("the order of snapshots", () => {
  it.each<[string, string[]]>([
    ["with a clock that is right", ["2024-05-02", "2024-05-03", "2024-05-04"]],
    ["after a clock that was ahead once", ["2024-05-02", "2031-01-01", "2024-05-03", "2024-05-04"]],
    ["with a clock that was set back", ["2024-05-02", "2024-05-01", "2024-04-30"]],
    ["where two clocks were ahead", ["2031-01-01", "2024-05-03", "2040-01-01", "2024-05-04"]],
    ["where the clock comes round to it", ["2024-05-03", "2024-05-02", "2024-05-03", "2024-05-04"]],
    ["with SOURCE_DATE_EPOCH, many times", Array(12).fill("2001-09-09")],
  ])("is their sequence %s", (_, days) => {
    const { snapshots } = open();
    const committed = days.map((day, n) => {
      const lists = { articles: snapshots.saveList(list(refs(n + 1))) };
      const { manifest } = snapshots.commit(draft(lists, `${day}T01:00:00.000Z`));
      expect(manifest.time).toBe(`${day}T01:00:00.000Z`);
      return manifest.id;
    });
    expect(committed.toSorted(olderFirst)).toEqual(committed);
    expect(new Set(committed).size).toBe(days.length);
    expect(snapshots.latest()?.id).toBe(committed.at(-1));
    snapshots.close();
  });
});

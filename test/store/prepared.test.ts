import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { StoredObject } from "../../src/store/objects.ts";
import type { SnapshotReader } from "../../src/store/reader.ts";
import type { Ref, SnapshotManifest } from "../../src/store/snapshots.ts";
import { openStore, preparedFolder, type Store } from "../../src/store/store.ts";
import { temporaryFolder } from "./support.ts";

let folder: string;
let store: Store;
/** Ids of the records that were looked at. */
let looked: string[];

const length = {
  name: "length",
  of({ id, raw }: StoredObject) {
    looked.push(id);
    return raw.length;
  },
};

beforeEach(() => {
  folder = temporaryFolder();
  store = openStore(folder);
  looked = [];
});

function put(id: string, text: string): Ref {
  const normal = { slug: id, title: text, createdAt: null, articlesCount: 0, galleriesCount: 0 };
  return { id, digest: store.objects.put("tags", id, normal, JSON.stringify({ text })) };
}

/** A snapshot with a list of tags, in parts of about 256. */
function listOf(refs: readonly Ref[], from = store): SnapshotReader {
  const tags = store.snapshots.saveList({ refs, perPage: 0, envelope: null, overrides: {} });
  return from.reader({ lists: { tags } } as unknown as SnapshotManifest);
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `tag-${n}`);
const files = (): string[] => readdirSync(preparedFolder(folder)).sort();
const valuesIn = (reader: SnapshotReader) =>
  [...reader.prepared("tags", length)].map(({ id, value }) => [id, value]);
const expected = (refs: readonly Ref[], texts: ReadonlyMap<string, string> = new Map()) =>
  refs.map(({ id }) => [id, JSON.stringify({ text: texts.get(id) ?? id }).length]);

describe("what is prepared of a list", () => {
  it("is worked out once, also for another process", () => {
    const refs = names(3000).map((id) => put(id, id));
    expect(valuesIn(listOf(refs))).toEqual(expected(refs));
    expect(looked).toHaveLength(3000);
    const other = openStore(folder, { readOnly: true });
    expect(valuesIn(listOf(refs, other))).toEqual(expected(refs));
    expect(looked).toHaveLength(3000);
  });

  it("is worked out anew for the part that changed, and for no other", () => {
    const refs = names(3000).map((id) => put(id, id));
    valuesIn(listOf(refs));
    looked = [];
    const edited = refs.map((ref) => (ref.id === "tag-1500" ? put("tag-1500", "edited") : ref));
    const texts = new Map([["tag-1500", "edited"]]);
    expect(valuesIn(listOf(edited))).toEqual(expected(edited, texts));
    expect(looked).toContain("tag-1500");
    expect(looked.length).toBeLessThan(2049);
  });

  it("is found by id, of several records of one id the last", () => {
    const refs = [...names(3000).map((id) => put(id, id)), put("tag-7", "another")];
    const reader = listOf(refs);
    expect(reader.preparedOf("tags", "tag-2999", length)).toBe('{"text":"tag-2999"}'.length);
    expect(reader.preparedOf("tags", "tag-7", length)).toBe('{"text":"another"}'.length);
    expect(reader.preparedOf("tags", "none", length)).toBeUndefined();
    expect(reader.preparedOf("articles", "tag-7", length)).toBeUndefined();
  });

  it.each<[string, (text: string) => string]>([
    ["empty", () => ""],
    ["cut", (text) => text.slice(0, -2)],
    ["of another value", (text) => text.replace(/\d+(?=\D*$)/, "7")],
    ["of another program", (text) => text.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))],
    ["something else", () => "{}"],
  ])("is made again where its file is %s", (_, damage) => {
    const refs = names(3).map((id) => put(id, id));
    valuesIn(listOf(refs));
    const [name = ""] = files();
    const path = join(preparedFolder(folder), name);
    const whole = readFileSync(path, "utf8");
    writeFileSync(path, damage(whole));
    expect(readFileSync(path, "utf8")).not.toBe(whole);
    expect(valuesIn(listOf(refs))).toEqual(expected(refs));
    expect(readFileSync(path, "utf8")).toBe(whole);
  });

  it("is written by nobody who only reads", () => {
    const refs = names(3).map((id) => put(id, id));
    listOf(refs);
    store.sync();
    const other = openStore(folder, { readOnly: true });
    expect(valuesIn(listOf(refs, other))).toEqual(expected(refs));
    expect(readdirSync(folder)).not.toContain("prepared");
  });

  it("goes where nobody asked for it", () => {
    valuesIn(listOf(names(3).map((id) => put(id, id))));
    const first = files();
    store = openStore(folder);
    writeFileSync(join(preparedFolder(folder), "left.json.1.tmp"), "");
    valuesIn(listOf(names(4).map((id) => put(id, id))));
    store.prepared.sweep();
    expect(files()).toHaveLength(1);
    expect(files()).not.toEqual(first);
  });
});

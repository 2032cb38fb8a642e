import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileSha256, keyOf, sha256 } from "../../src/lib/digest.ts";
import type { MediaEntry } from "../../src/store/media.ts";
import { attachmentsRaw } from "../../src/store/reader.ts";
import type { Tag } from "../../src/store/records.ts";
import type { Ref, SnapshotManifest } from "../../src/store/snapshots.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { filesOf } from "../crawl/support.ts";
import { temporaryFolder } from "./support.ts";

const tag = (slug: string): Tag => ({
  slug,
  title: "",
  createdAt: null,
  articlesCount: 0,
  galleriesCount: 0,
});

describe("the objects of a store", () => {
  it("come back as they were put, to the letter, also after reopening", () => {
    const folder = temporaryFolder();
    let store = openStore(folder);
    const kept = new Map<string, { id: string; raw: string }>();
    const text = fc.tuple(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom("4.50", "1e400"),
    );
    fc.assert(
      fc.property(fc.string(), text, (id, [object, number]) => {
        const raw = `{"raw":${number},"normal":${JSON.stringify(object)}}`;
        kept.set(store.objects.put("tags", id, tag(id), raw), { id, raw });
      }),
    );
    for (const reopened of [false, true]) {
      if (reopened) {
        store.close();
        store = openStore(folder);
      }
      for (const [digest, { id, raw }] of kept) {
        expect(store.objects.read("tags", digest)).toEqual({ id, digest, normal: tag(id), raw });
        expect(store.objects.readRaw(digest)).toBe(raw);
        expect(store.objects.readNormal("tags", digest)).toEqual(tag(id));
      }
    }
    store.close();
  });

  it("are written once, and told apart by everything about them", () => {
    const folder = temporaryFolder();
    const store = openStore(folder);
    const put = (id: string, raw: string): string => store.objects.put("tags", id, tag(id), raw);
    const first = put("a", "{}");
    store.sync();
    const before = filesOf(folder);
    expect(put("a", "{}")).toBe(first);
    store.sync();
    expect(filesOf(folder)).toEqual(before);
    const others = [
      put("b", "{}"),
      put("a", "[]"),
      store.objects.put("categories", "a", tag("a") as never, "{}"),
    ];
    expect(new Set([first, ...others]).size).toBe(4);
    store.close();
  });

  it("are said to be missing, with what to do about it", () => {
    const store = openStore(temporaryFolder());
    const digest = "0".repeat(32);
    expect(store.objects.has(digest)).toBe(false);
    expect(() => store.objects.read("tags", digest)).toThrow(
      expect.objectContaining({
        message: `object ${digest} is missing from the store`,
        hint: 'run "stillpress repair" to have it again',
        exitCode: 5,
      }),
    );
    store.close();
  });
});

describe("a reader", () => {
  it("finds by id, in a list and in attachments", () => {
    const store = openStore(temporaryFolder());
    const put = (id: string): Ref => ({
      id,
      digest: store.objects.put("tags", id, tag(id), `{"n":"${id}"}`),
    });
    const refs = ["a", "b", "__proto__"].map(put);
    const normal = {
      parent: "articles",
      parentId: "x/y",
      kind: "images",
      items: [["b", refs[1]?.digest ?? ""]],
    };
    const pages = {
      perPage: 20,
      envelope: '{"data":[],"odd":4.50}',
      overrides: { "3": '{"x":1e9}' },
    };
    const listId = "articles/x/y/images";
    const list = store.objects.put("attachments", listId, normal as never, attachmentsRaw(pages));
    const unpaged = { perPage: 0, envelope: null, overrides: {} };
    const manifest = {
      lists: {
        tags: store.snapshots.saveList({ ...unpaged, refs }),
        attachments: store.snapshots.saveList({ ...unpaged, refs: [{ id: listId, digest: list }] }),
      },
    } as unknown as SnapshotManifest;
    const reader = store.reader(manifest);
    for (const ref of refs) {
      expect(reader.digestOf("tags", ref.id)).toBe(ref.digest);
      expect(reader.find("tags", "tags", ref.id)).toMatchObject({ id: ref.id, digest: ref.digest });
    }
    expect(reader.find("tags", "tags", "c")).toBeUndefined();
    expect(reader.digestOf("articles", "a")).toBeUndefined();
    expect(reader.attachments("articles", "x/y", "images")).toEqual({ items: [refs[1]], ...pages });
    expect(reader.attachments("articles", "x/y", "videos")).toBeUndefined();
    store.close();
  });

  it("tells an id of 32 hexadecimal digits from every other, also from one whose digest it is", () => {
    const store = openStore(temporaryFolder());
    const uuid = "0a1b2c3d-0000-4000-8000-00000000000a";
    const plain = uuid.replaceAll("-", "");
    const digests = [uuid, plain].flatMap((id) => [sha256(id).slice(0, 32), keyOf(id)]);
    const lower = [uuid, plain, ...digests];
    const ids = [...lower, ...lower.map((id) => id.toUpperCase())];
    const refs = ids.map((id, n) => ({ id, digest: String(n).padStart(32, "0") }));
    const saved = store.snapshots.saveList({ refs, perPage: 0, envelope: null, overrides: {} });
    const reader = store.reader({ lists: { articles: saved } } as unknown as SnapshotManifest);
    for (const { id, digest } of refs) expect(reader.digestOf("articles", id)).toBe(digest);
    store.close();
  });
});

describe("the blobs of a store", () => {
  /** Writes a file and takes it in; returns its digest. */
  async function add({ blobs }: Store, bytes: Uint8Array): Promise<string> {
    const digest = sha256(bytes);
    const temporary = blobs.temporaryPath();
    writeFileSync(temporary, bytes);
    await blobs.put(temporary, digest);
    expect(existsSync(temporary)).toBe(false);
    return digest;
  }

  it("lie under their digest, once", async () => {
    const folder = temporaryFolder();
    const store = openStore(folder);
    const bytes = Buffer.from("picture");
    const digest = await add(store, bytes);
    const other = await add(store, Buffer.from("other"));
    const same = await add(store, bytes);
    expect([digest, other, same]).toEqual([sha256(bytes), sha256("other"), digest]);
    expect(readdirSync(join(folder, "blobs", "incoming"))).toEqual([]);
    expect(await store.blobs.has(digest, 7)).toBe(true);
    expect(readFileSync(store.blobs.own.pathOf(digest))).toEqual(bytes);
    expect(readdirSync(join(folder, "blobs")).sort()).toEqual(
      [digest.slice(0, 2), other.slice(0, 2), "incoming"].sort(),
    );
    store.close();
  });

  it("stay the file that they are when the same comes again, with time and links", async () => {
    const folder = temporaryFolder();
    const store = openStore(folder);
    const path = store.blobs.own.pathOf(await add(store, Buffer.from("picture")));
    linkSync(path, join(folder, "published"));
    utimesSync(path, 1_000, 1_000);
    await add(store, Buffer.from("picture"));
    expect(statSync(path)).toMatchObject({ mtimeMs: 1_000_000, nlink: 2 });
    // One of the right length can be damaged.
    writeFileSync(path, "picturE");
    await add(store, Buffer.from("picture"));
    expect(readFileSync(path, "utf8")).toBe("picture");
    store.close();
  });

  it("are whole only in their full length, and are replaced where they are not", async () => {
    const store = openStore(temporaryFolder());
    const { blobs } = store;
    const bytes = Buffer.from("picture");
    const digest = await add(store, bytes);
    expect(await blobs.has(digest, 7)).toBe(true);
    expect(await blobs.has(sha256("other"), 5)).toBe(false);
    for (const damaged of ["", "pict", "picture and more"]) {
      writeFileSync(blobs.own.pathOf(digest), damaged);
      expect(await blobs.has(digest, 7)).toBe(false);
      await add(store, bytes);
      expect(readFileSync(blobs.own.pathOf(digest))).toEqual(bytes);
    }
    store.close();
  });

  it("lose what an earlier process left half written, unless they are only read", async () => {
    const folder = temporaryFolder();
    openStore(folder).close();
    const incoming = join(folder, "blobs", "incoming");
    for (const name of ["4194305-1", `${process.pid}-1`]) {
      writeFileSync(join(incoming, name), "half");
      utimesSync(join(incoming, name), 0, 0);
    }
    writeFileSync(join(incoming, `${process.pid}-2`), "half");
    openStore(folder, { readOnly: true }).close();
    expect(readdirSync(incoming)).toHaveLength(3);
    openStore(folder).close();
    expect(readdirSync(incoming)).toEqual([`${process.pid}-2`]);
  });
});

describe("the media index of a store", () => {
  const entry = (id: string, record: string): MediaEntry => ({
    kind: "images",
    id,
    record,
    recipe: "r",
    original: { blob: "b", bytes: 1, type: "image/jpeg", extension: "jpg", width: 4, height: 3 },
    renditions: [{ slot: "width/640", format: "webp", blob: "c", bytes: 2, width: 4, height: 3 }],
  });

  it("gives the last entry of each item, also after reopening", () => {
    const folder = temporaryFolder();
    let store: Store = openStore(folder);
    store.media.put(entry("1", "old"));
    store.media.put(entry("2", "other"));
    store.media.put(entry("1", "new"));
    store.close();
    store = openStore(folder);
    expect(store.media.get("images", "1")).toEqual(entry("1", "new"));
    expect(store.media.get("images", "2")).toEqual(entry("2", "other"));
    expect(store.media.get("videos", "1")).toBeUndefined();
    expect(store.media.size).toBe(2);
    store.close();
  });
});

describe("fileSha256", () => {
  it.each([0, 1, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 3 * 2 ** 20])(
    "is that of the content of %i bytes",
    (bytes) => {
      const path = join(temporaryFolder(), "file");
      const content = Buffer.alloc(bytes, "stillpress");
      writeFileSync(path, content);
      expect(fileSha256(path)).toBe(sha256(content));
    },
  );

  it("is had of no file that is missing", () => {
    expect(() => fileSha256(join(temporaryFolder(), "file"))).toThrow(/ENOENT/);
  });
});

describe("keyOf", () => {
  it("tells values apart by their ends, and gives 32 hexadecimal characters", () => {
    expect(keyOf("ab", "c")).not.toBe(keyOf("a", "bc"));
    expect(keyOf("1", 1, null)).toMatch(/^[0-9a-f]{32}$/);
  });
});

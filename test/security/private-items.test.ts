// An editor who marks items as private, at a service whose ids are numbers, or are shared by items of several kinds.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readShown } from "../../src/catalogue/shown.ts";
import { itemKinds } from "../../src/catalogue/visibility.ts";
import { ConfigSchema } from "../../src/config.ts";
import type { ListName } from "../../src/store/list-names.ts";
import { attachmentsRaw } from "../../src/store/reader.ts";
import { attachmentsId, type ItemCollection, normalise } from "../../src/store/records.ts";
import type { ListManifest, Ref, SnapshotManifest } from "../../src/store/snapshots.ts";
import { openStore } from "../../src/store/store.ts";
import { temporaryFolder } from "../store/support.ts";

const uuid = (number: number): string =>
  `5e0f1a2b-3c4d-4e5f-8a9b-${String(number).padStart(12, "0")}`;
const envelope = (count: number): string =>
  JSON.stringify({
    data: [],
    meta: {
      current_page: 1,
      from: 1,
      to: Math.min(2, count),
      last_page: Math.ceil(count / 2),
      per_page: 2,
      total: count,
    },
  });

interface Item {
  id: string | number;
  slug?: string;
  [says: string]: unknown;
}

/** What may be shown of lists with two items a page, and of one attachment list of the first article. */
function shownOf(lists: Partial<Record<ListName, Item[]>>, attached: Item[] = []) {
  const store = openStore(temporaryFolder());
  const saved: Record<string, ListManifest> = {};
  function put(collection: ItemCollection, object: object): Ref {
    const result = normalise(collection, object, "auto");
    if ("error" in result) throw new Error(result.error);
    const { id, normal } = result;
    return { id, digest: store.objects.put(collection, id, normal, JSON.stringify(object)) };
  }
  const save = (list: string, refs: Ref[]): void => {
    const pages = { perPage: 2, envelope: envelope(refs.length), overrides: { 2: "{}" } };
    saved[list] = store.snapshots.saveList({ refs, ...pages });
  };
  for (const [list, items] of Object.entries(lists)) {
    const collection = (list.endsWith(".single") ? list : list.split(".")[0]) as ItemCollection;
    save(
      list,
      items.map((item) => put(collection, item)),
    );
  }
  const refs = attached.map((item) => put("documents", item));
  const raw = attachmentsRaw({ perPage: 2, envelope: envelope(refs.length), overrides: {} });
  const id = attachmentsId("articles", "1", "documents");
  const items = refs.map((ref): [string, string] => [ref.id, ref.digest]);
  const normal = { parent: "articles", parentId: "1", kind: "documents", items } as const;
  save("attachments", [{ id, digest: store.objects.put("attachments", id, normal, raw) }]);
  return readShown(
    store.reader({ lists: saved, complete: true } as unknown as SnapshotManifest),
    ConfigSchema.parse({ origin: { baseUrl: "https://origin.test/api" } }),
  );
}

const totalOf = (text: string | null | undefined): number => JSON.parse(text ?? "").meta.total;

describe("an item that says that it is private", () => {
  it.each([
    ["articles", "articles"],
    ["articles", "articles.single"],
    ["galleries", "galleries"],
    ["galleries", "galleries.single"],
    ["videos", "videos"],
    ["documents", "documents.unlisted"],
    ["audio", "audio"],
    ["categories", "categories"],
    ["tags", "tags"],
  ] as const)("%s is not shown where %s says so", (kind, list) => {
    const items = [1, 2, 3].map((id) => ({ id, slug: String(id) }));
    const saying = items.map((item) => (item.id === 2 ? { ...item, private: "yes" } : item));
    const { snapshot, shows, hidden, remarks } = shownOf({ [kind]: items, [list]: saying });
    expect([shows(kind, "1"), shows(kind, "2")]).toEqual([true, false]);
    expect(Array.from(snapshot.refs(list), ({ id }) => id)).toEqual(["1", "3"]);
    expect(snapshot.digestOf(list, "2")).toBeUndefined();
    expect([snapshot.list(list)?.count, totalOf(snapshot.list(list)?.envelope)]).toEqual([2, 2]);
    // A number is no name that could be looked for.
    expect([...hidden]).toEqual([]);
    expect(remarks.map(({ subject }) => subject)).toEqual([`${kind}: 1`]);
  });

  it("is not shown where only an attachment list says so, and is not counted there", () => {
    const { snapshot } = shownOf({ articles: [{ id: 1 }], documents: [{ id: 7 }, { id: 8 }] }, [
      { id: 7, visibility: "Private" },
      { id: 8 },
    ]);
    const list = snapshot.attachments("articles", "1", "documents");
    expect([list?.items.map(({ id }) => id), totalOf(list?.envelope)]).toEqual([["8"], 1]);
    expect(Array.from(snapshot.refs("documents"), ({ id }) => id)).toEqual(["8"]);
  });

  it("takes its attachment lists along", () => {
    const { snapshot } = shownOf({ articles: [{ id: 1, private: true }] }, [{ id: 8 }]);
    expect(snapshot.attachments("articles", "1", "documents")).toBeUndefined();
    expect([...snapshot.refs("attachments")]).toEqual([]);
  });

  it("has an id that must not be named, unless something that is shown has it, too", () => {
    const secret = [{ id: uuid(1), private: true }];
    expect(shownOf({ articles: secret }).hides(`see ${uuid(1)}.`)).toBe(true);
    const shared = shownOf({ articles: secret, galleries: [{ id: uuid(1) }] });
    expect(shared.hides(uuid(1))).toBe(false);
    expect([shared.shows("articles", uuid(1)), shared.shows("galleries", uuid(1))]).toEqual([
      false,
      true,
    ]);
  });

  it("says nothing of an image with its id, nor an image of it", () => {
    const { shows } = shownOf({
      articles: [{ id: 7, private: true }],
      documents: [{ id: 9 }],
      images: [{ id: 7 }, { id: 9, private: true }],
    });
    expect([shows("images", "7"), shows("images", "9"), shows("documents", "9")]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

it("an item whose id is that of a private image, or has it in its middle, is left out with its title", () => {
  const { shows, remarks } = shownOf({
    images: [{ id: uuid(1), private: true }],
    articles: [
      { id: uuid(1), title: `On ${uuid(1)}` },
      { id: `x-${uuid(1).toUpperCase()}-y` },
      { id: uuid(2) },
    ],
  });
  expect([shows("articles", uuid(1)), shows("articles", uuid(2))]).toEqual([false, true]);
  expect(remarks).toHaveLength(1);
  expect(remarks[0]?.subject).toMatch(/^articles "On 0{8}-/);
  expect(remarks[0]?.subject).not.toContain(uuid(1));
});

it("every list is as long as it says, whatever is private in it", () => {
  const item = fc.record({ id: fc.integer({ min: 1, max: 9 }), private: fc.boolean() });
  const items = fc.uniqueArray(item, { selector: ({ id }) => id, maxLength: 7 });
  fc.assert(
    fc.property(fc.tuple(...itemKinds.map(() => items)), (all) => {
      const lists = itemKinds.map((kind, at) => {
        return [kind, all[at]?.map((one) => ({ ...one, slug: String(one.id) })) ?? []] as const;
      });
      const { snapshot, shows } = shownOf(Object.fromEntries(lists));
      for (const [kind, written] of lists) {
        const wanted = written.filter((one) => !one.private).map(({ id }) => String(id));
        expect(Array.from(snapshot.refs(kind), ({ id }) => id)).toEqual(wanted);
        const list = snapshot.list(kind);
        expect([list?.count, totalOf(list?.envelope)]).toEqual([wanted.length, wanted.length]);
        for (const { id, private: is } of written) expect(shows(kind, String(id))).toBe(!is);
      }
    }),
    { numRuns: 30 },
  );
});

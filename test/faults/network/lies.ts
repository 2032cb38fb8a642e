import { changed, hasItems, instead, itemsOf, send } from "./altering.ts";
import { bagOf, type Fault, jsonOf } from "./fault.ts";

/** The name of the page before; undefined for a first page and for what is no page. */
function pageBefore(name: string): string | undefined {
  const page = Number(/[?&]page=(\d+)/.exec(name)?.[1] ?? 1);
  return page > 1 ? name.replace(/([?&]page=)\d+/, `$1${page - 1}`) : undefined;
}

/** Answers of the documented form that contradict themselves, or what is known otherwise. */
export const lieFaults: readonly Fault[] = [
  {
    name: "no items, total as before",
    on: ["page"],
    fits: hasItems,
    befall: changed((value) => {
      value.data = [];
    }),
  },
  {
    name: "one item less, total as before",
    on: ["page"],
    fits: hasItems,
    befall: changed((_, __, data) => void data.pop()),
  },
  {
    name: "the page before instead",
    on: ["page"],
    fits: (name, _, known) => known.has(pageBefore(name) ?? ""),
    befall: send(({ proxy, name }) => proxy.known.get(pageBefore(name) ?? "")?.body ?? Buffer.of()),
  },
  {
    name: "a larger total",
    on: ["page"],
    befall: changed((_, meta) => {
      meta.total = Number(meta.total) + 3;
    }),
  },
  {
    name: "a smaller total",
    on: ["page"],
    fits: hasItems,
    befall: changed((_, meta) => {
      meta.total = Number(meta.total) - 1;
    }),
  },
  {
    name: "a total beyond all numbers",
    on: ["page"],
    befall: instead((text) => text.replace(/"total":\d+/, '"total":1e400')),
  },
  {
    name: "a last page too early",
    on: ["page"],
    fits: (_, answer) => Number(bagOf(jsonOf(answer)?.meta)?.last_page) > 1,
    befall: changed((value, meta) => {
      meta.last_page = 1;
      value.links = { ...bagOf(value.links), next: null };
    }),
  },
  {
    name: "no meta",
    on: ["page"],
    befall: changed((value) => {
      delete value.meta;
    }),
  },
  {
    name: "an item without an id",
    on: ["page"],
    fits: hasItems,
    befall: changed((_, __, data) => {
      const first = bagOf(data[0]);
      if (first !== undefined) delete first.id;
    }),
  },
  {
    name: "an item twice, another one missing",
    on: ["page"],
    fits: (_, answer) => itemsOf(answer).length > 1,
    befall: changed((_, __, data) => {
      data[1] = data[0];
    }),
  },
];

/** Answers that nothing contradicts. */
export const believableFaults: readonly Fault[] = [
  {
    name: "one item less, total too",
    on: ["page"],
    believable: true,
    fits: (_, answer) => {
      const last = Number(bagOf(jsonOf(answer)?.meta)?.last_page);
      return itemsOf(answer).length > 0 && last === 1;
    },
    befall: changed((_, meta, data) => {
      data.pop();
      meta.total = Number(meta.total) - 1;
      meta.to = data.length === 0 ? null : data.length;
    }),
  },
  {
    name: "no items, total 0",
    on: ["page"],
    believable: true,
    fits: hasItems,
    befall: changed((value, meta) => {
      value.data = [];
      Object.assign(meta, { total: 0, last_page: 1, from: null, to: null });
    }),
  },
  {
    name: "a category or a tag less",
    on: ["all"],
    believable: true,
    fits: hasItems,
    befall: changed((_, __, data) => void data.pop()),
  },
  {
    name: "another title",
    on: ["page", "single"],
    believable: true,
    fits: (_, { body }) => body.includes('"title":"'),
    befall: instead((text) => text.replace('"title":"', '"title":"Not ')),
  },
  {
    name: "a member named __proto__",
    on: ["page", "single"],
    believable: true,
    befall: instead((text) => text.replace(/^\{/, '{"__proto__":{"polluted":true},')),
  },
];

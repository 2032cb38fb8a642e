export type Timed = { id: string; createdAt: number; publishedAt?: number };

/** Milliseconds by which an item finds its place in its index. */
export const timeOf = ({ publishedAt, createdAt }: Timed): number => publishedAt ?? createdAt;

/** A list of items, latest first, that can change while an origin serves it. An `edit` replaces the item. */
export class Collection<T extends Timed> {
  #items: readonly T[] = [];
  #byId: ReadonlyMap<string, T> = new Map();

  constructor(items: readonly T[] = []) {
    this.#hold(items);
  }

  /** Leaves items of the same time in their order. */
  #hold(items: readonly T[]): void {
    this.#items = items.toSorted((a, b) => timeOf(b) - timeOf(a));
    this.#byId = new Map(items.map((item) => [item.id, item]));
  }

  get length(): number {
    return this.#items.length;
  }

  /** 0 is the latest. */
  at(place: number): T | undefined {
    return this.#items[place];
  }

  get(id: string): T | undefined {
    return this.#byId.get(id);
  }

  /** All of them as they are now, the latest first. */
  get items(): readonly T[] {
    return this.#items;
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#items[Symbol.iterator]();
  }

  /** Goes before others of the same time. */
  add(item: T): void {
    this.#hold([item, ...this.#items]);
  }

  /** Throws a RangeError for an unknown id. */
  edit(id: string, change: Partial<T>): T {
    const before = this.get(id);
    if (!before) throw new RangeError(`no item with id ${id}`);
    const after = { ...before, ...change };
    this.#hold(this.#items.map((item) => (item === before ? after : item)));
    return after;
  }

  /** Returns the item, which `add` puts back; undefined if it is unknown. */
  remove(id: string): T | undefined {
    const item = this.get(id);
    this.#hold(this.#items.filter((one) => one !== item));
    return item;
  }
}

export type Timed = { id: string; createdAt: number; publishedAt?: number };

/** Milliseconds by which an item finds its place in its index. */
export const timeOf = ({ publishedAt, createdAt }: Timed): number => publishedAt ?? createdAt;

/** A list of items, latest first, that can change while an origin serves it. An `edit` replaces the item. */
export class Collection<T extends Timed> {
  readonly #items: T[];
  readonly #byId: Map<string, T>;

  constructor(items: readonly T[] = []) {
    this.#items = [...items];
    this.#byId = new Map(items.map((item) => [item.id, item]));
    this.#sort();
  }

  /** Leaves items of the same time in their order. */
  #sort(): void {
    this.#items.sort((a, b) => timeOf(b) - timeOf(a));
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

  [Symbol.iterator](): IterableIterator<T> {
    return this.#items[Symbol.iterator]();
  }

  /** Goes before others of the same time. */
  add(item: T): void {
    this.#items.unshift(item);
    this.#byId.set(item.id, item);
    this.#sort();
  }

  /** Returns the changed item. Throws a RangeError for an unknown id. */
  edit(id: string, change: Partial<T>): T {
    const before = this.get(id);
    if (!before) throw new RangeError(`no item with id ${id}`);
    const after = { ...before, ...change };
    this.#items[this.#items.indexOf(before)] = after;
    this.#byId.delete(id);
    this.#byId.set(after.id, after);
    this.#sort();
    return after;
  }

  /** Returns the item, which `add` puts back; undefined if it is unknown. */
  remove(id: string): T | undefined {
    const item = this.get(id);
    if (!item) return undefined;
    this.#items.splice(this.#items.indexOf(item), 1);
    this.#byId.delete(id);
    return item;
  }
}

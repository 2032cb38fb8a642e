type Timed = { id: string; createdAt: number; publishedAt?: number };

/** Milliseconds by which an item finds its place in its index. */
export const timeOf = ({ publishedAt, createdAt }: Timed): number => publishedAt ?? createdAt;

/**
 * A list of items, latest first, that can be changed while an origin serves it. Items are replaced
 * and never changed in place: what `at` returned before an `edit` stays as it was.
 */
export class Collection<T extends Timed> {
  readonly #items: T[];
  readonly #byId: Map<string, T>;

  constructor(items: readonly T[] = []) {
    this.#items = [...items].sort((a, b) => timeOf(b) - timeOf(a));
    this.#byId = new Map(items.map((item) => [item.id, item]));
  }

  get length(): number {
    return this.#items.length;
  }

  /** The item at a place in the list, 0 being the latest; undefined beyond the end. */
  at(place: number): T | undefined {
    return this.#items[place];
  }

  get(id: string): T | undefined {
    return this.#byId.get(id);
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#items[Symbol.iterator]();
  }

  /** Puts an item in its place by time, before others of the same time. */
  add(item: T): void {
    const place = this.#items.findIndex((other) => timeOf(other) <= timeOf(item));
    this.#items.splice(place === -1 ? this.#items.length : place, 0, item);
    this.#byId.set(item.id, item);
  }

  /** Changes some fields of an item and returns it. Throws a RangeError for an unknown id. */
  edit(id: string, change: Partial<T>): T {
    const before = this.get(id);
    if (!before) throw new RangeError(`no item with id ${id}`);
    const after = { ...before, ...change };
    if (timeOf(after) === timeOf(before) && after.id === id) {
      this.#items[this.#items.indexOf(before)] = after;
      this.#byId.set(id, after);
    } else {
      this.remove(id);
      this.add(after);
    }
    return after;
  }

  /** Takes an item out of the list and returns it (`add` puts it back); undefined if unknown. */
  remove(id: string): T | undefined {
    const item = this.get(id);
    if (!item) return undefined;
    this.#items.splice(this.#items.indexOf(item), 1);
    this.#byId.delete(id);
    return item;
  }
}

/**
 * A list of items, latest first, that can be changed while an origin serves it. Items are replaced
 * and never changed in place: what `at` returned before an `edit` stays as it was.
 */
export class Collection<T extends { id: string }> {
  readonly #time: (item: T) => number;
  readonly #items: T[];
  readonly #byId: Map<string, T>;

  /** `time` gives the milliseconds by which items find their place, latest first. */
  constructor(items: readonly T[], time: (item: T) => number) {
    this.#time = time;
    this.#items = [...items].sort((a, b) => time(b) - time(a));
    this.#byId = new Map(items.map((item) => [item.id, item]));
  }

  get length(): number {
    return this.#items.length;
  }

  /** The item at a place in the list, 0 being the latest; undefined beyond the end. */
  at(place: number): T | undefined {
    return this.#items[place];
  }

  /** The item with an id, or undefined. */
  get(id: string): T | undefined {
    return this.#byId.get(id);
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#items[Symbol.iterator]();
  }

  /** Puts an item in its place by time, before others of the same time. */
  add(item: T): void {
    const time = this.#time(item);
    const place = this.#items.findIndex((other) => this.#time(other) <= time);
    this.#insert(item, place === -1 ? this.#items.length : place);
  }

  #insert(item: T, place: number): void {
    this.#items.splice(place, 0, item);
    this.#byId.set(item.id, item);
  }

  /** Changes some fields of an item and returns it. Throws a RangeError for an unknown id. */
  edit(id: string, change: Partial<T>): T {
    const before = this.get(id);
    if (!before) throw new RangeError(`no item with id ${id}`);
    const after = { ...before, ...change };
    const place = this.#items.indexOf(before);
    this.remove(id);
    if (this.#time(after) === this.#time(before)) this.#insert(after, place);
    else this.add(after);
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

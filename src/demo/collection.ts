/** Items that can be made on demand: `count` of them, in list order. */
export interface Source<T> {
  readonly count: number;
  make(index: number): T;
  /** Index of an id; undefined when it is none of this source's. */
  indexOf(id: string): number | undefined;
}

/**
 * A list of items, latest first, of which only the changed ones are kept in memory: the others are
 * made by the source whenever they are asked for. Changing an object that `at` returned has
 * therefore no effect; `edit` it.
 */
export class Collection<T extends { id: string }> {
  /** Called after every change. */
  onChange: () => void = () => {};
  readonly #source: Source<T>;
  readonly #time: (item: T) => number;
  /** From the first change on: an index of the source, or an item of our own. */
  #order: (number | T)[] | undefined;
  /** The items of our own by id, and the indexes of the source that they or nothing replaced. */
  readonly #owned = new Map<string, T>();
  readonly #gone = new Set<number>();

  /** `time` gives the milliseconds by which added items find their place, latest first. */
  constructor(source: Source<T>, time: (item: T) => number) {
    this.#source = source;
    this.#time = time;
  }

  /** A collection of items that exist already; they are sorted. */
  static of<T extends { id: string }>(items: readonly T[], time: (item: T) => number) {
    const sorted = [...items].sort((a, b) => time(b) - time(a));
    const places = new Map(sorted.map((item, index) => [item.id, index]));
    const make = (index: number): T => {
      const item = sorted[index];
      if (item === undefined) throw new RangeError(`no item at ${index}`);
      return item;
    };
    return new Collection<T>({ count: sorted.length, make, indexOf: (id) => places.get(id) }, time);
  }

  get length(): number {
    return this.#order?.length ?? this.#source.count;
  }

  /** The item at a place in the list, 0 being the latest; undefined beyond the end. */
  at(place: number): T | undefined {
    if (!this.#order) return place < this.#source.count ? this.#source.make(place) : undefined;
    const entry = this.#order[place];
    return typeof entry === "number" ? this.#source.make(entry) : entry;
  }

  /** The item with an id, or undefined. */
  get(id: string): T | undefined {
    const owned = this.#owned.get(id);
    if (owned) return owned;
    const index = this.#source.indexOf(id);
    if (index === undefined || index >= this.#source.count || this.#gone.has(index))
      return undefined;
    return this.#source.make(index);
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (let place = 0; place < this.length; place += 1) yield this.at(place) as T;
  }

  /** Puts an item in its place by time, before others of the same time. */
  add(item: T): void {
    const order = this.#own();
    const time = this.#time(item);
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#time(this.at(middle) as T) > time) low = middle + 1;
      else high = middle;
    }
    order.splice(low, 0, item);
    this.#owned.set(item.id, item);
    this.onChange();
  }

  /** Changes some fields of an item and returns it. Throws a RangeError for an unknown id. */
  edit(id: string, change: Partial<T>): T {
    const before = this.get(id);
    if (!before) throw new RangeError(`no item with id ${id}`);
    const after = { ...before, ...change };
    if (this.#time(after) !== this.#time(before)) {
      this.remove(id);
      this.add(after);
      return after;
    }
    this.#own()[this.#placeOf(id)] = after;
    this.#forget(id);
    this.#owned.set(id, after);
    this.onChange();
    return after;
  }

  /** Takes an item out of the list and returns it (`add` puts it back); undefined if unknown. */
  remove(id: string): T | undefined {
    const item = this.get(id);
    if (!item) return undefined;
    const place = this.#placeOf(id);
    this.#own().splice(place, 1);
    this.#forget(id);
    this.onChange();
    return item;
  }

  #forget(id: string): void {
    this.#owned.delete(id);
    const index = this.#source.indexOf(id);
    if (index !== undefined) this.#gone.add(index);
  }

  #own(): (number | T)[] {
    this.#order ??= Array.from({ length: this.#source.count }, (_, index) => index);
    return this.#order;
  }

  /** Place of an id in our own order, -1 if there is none. */
  #placeOf(id: string): number {
    const order = this.#own();
    const index = this.#source.indexOf(id);
    return order.findIndex((entry) =>
      typeof entry === "number" ? entry === index : entry.id === id,
    );
  }
}

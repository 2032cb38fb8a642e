import type { Content } from "../../../src/demo/model.ts";
import type { Dice } from "../../../src/lib/random.ts";
import { articleOf, galleryOf, imageOf, timeOf } from "../hand-made.ts";

/** The three indexes that are walked page by page. */
export const movingLists = ["articles", "galleries", "images"] as const;
export type MovingList = (typeof movingLists)[number];

/** Changes the indexes of a content, and knows what was taken out since it was asked last. */
export interface Mover {
  /** Makes one change, or a pair of them, in one of the indexes. */
  change(throws: Dice): void;
  /**
   * Takes an item out of what was read already and puts another one behind what was not, so that the total stays
   * as it was and the first unread item slides onto a page that was read.
   *
   * @param readItems items at the head of the list that were read
   */
  slide(list: MovingList, readItems: number, throws: Dice): void;
  /** Changes made so far. */
  readonly changes: number;
  /** Ids that were out of a list at any time since the last call. */
  takenOut(): Record<MovingList, Set<string>>;
}

/** Items of each list at the beginning; new ones get numbers that no item has. */
export interface Sizes {
  articles: number;
  galleries: number;
  images: number;
}

/** Items further down than any at the beginning, and how many there are on top of all. */
const bottom = 100_000;

export async function createMover(content: Content, sizes: Sizes): Promise<Mover> {
  // Made before anything runs: a change happens between two requests, where nothing can be waited for.
  const picture = await imageOf(0);
  let made = Math.max(sizes.articles, sizes.galleries, sizes.images);
  let changes = 0;
  const nothing = (): Record<MovingList, Set<string>> => ({
    articles: new Set(),
    galleries: new Set(),
    images: new Set(),
  });
  let out = nothing();

  const add = (list: MovingList, time: number): void => {
    made++;
    if (list === "articles") content.articles.add(articleOf(made, { publishedAt: time }));
    else if (list === "galleries") content.galleries.add(galleryOf(made, { publishedAt: time }));
    else content.images.add({ ...picture, id: `00000000-0000-4000-8000-${made}`, createdAt: time });
  };
  const remove = (list: MovingList, place: number): void => {
    const id = content[list].at(place)?.id;
    if (id === undefined) return;
    out[list].add(id);
    content[list].remove(id);
  };
  const move = (list: MovingList, place: number, time: number): void => {
    const id = content[list].at(place)?.id;
    if (id === undefined) return;
    if (list === "articles") content.articles.edit(id, { publishedAt: time });
    else if (list === "galleries") content.galleries.edit(id, { publishedAt: time });
    else content.images.edit(id, { createdAt: time });
  };
  const somewhere = (list: MovingList, throws: Dice): number =>
    throws.roll(Math.max(1, content[list].length));
  const someTime = (list: MovingList, throws: Dice): number =>
    timeOf(throws.roll(sizes[list]) + 0.5);
  const top = (): number => timeOf(-++made);

  const slide = (list: MovingList, readItems: number, throws: Dice): void => {
    changes++;
    remove(list, throws.roll(Math.max(1, Math.min(readItems, content[list].length))));
    add(list, timeOf(bottom + ++made));
  };

  const kinds: readonly ((list: MovingList, throws: Dice) => void)[] = [
    (list) => add(list, top()),
    (list, throws) => add(list, someTime(list, throws)),
    (list) => add(list, timeOf(bottom + ++made)),
    (list, throws) => remove(list, somewhere(list, throws)),
    (list, throws) => move(list, somewhere(list, throws), top()),
    (list, throws) => move(list, somewhere(list, throws), timeOf(bottom + ++made)),
    (list, throws) => move(list, somewhere(list, throws), someTime(list, throws)),
    (list, throws) => {
      remove(list, somewhere(list, throws));
      add(list, someTime(list, throws));
    },
    (list, throws) => slide(list, somewhere(list, throws), throws),
    (list, throws) => {
      for (let left = 1 + throws.roll(7); left > 0; left--) remove(list, somewhere(list, throws));
    },
    (list, throws) => {
      for (let left = 1 + throws.roll(7); left > 0; left--) add(list, top());
    },
  ];

  return {
    slide,
    change(throws) {
      changes++;
      throws.pick(kinds)(throws.pick(movingLists), throws);
    },
    get changes() {
      return changes;
    },
    takenOut() {
      const before = out;
      out = nothing();
      return before;
    },
  };
}

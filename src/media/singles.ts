/** Single images, each by its own path. */
export interface Singles<T> {
  /** An image that an index has just shown. */
  shown: string | undefined;
  /**
   * What the path of a single image answers; undefined where there is no such image, or no such path.
   *
   * @throws what the asking throws
   */
  ask(id: string): Promise<T | undefined>;
}

/**
 * Asks for single images as long as the origin has such a path. Its first miss can have two reasons; asking for
 * an image that is there for sure tells them apart.
 */
export function createSingles<T>(ask: (id: string) => Promise<T | undefined>): Singles<T> {
  let works: Promise<boolean> | undefined;
  const singles: Singles<T> = {
    shown: undefined,
    async ask(id) {
      if (works !== undefined && !(await works)) return undefined;
      const answer = await ask(id);
      if (answer !== undefined) works = Promise.resolve(true);
      else if (singles.shown !== undefined) {
        works ??= ask(singles.shown).then(
          (known) => known !== undefined,
          // No answer is no proof.
          () => true,
        );
      }
      return answer;
    },
  };
  return singles;
}

import type { ArticleSummary, GallerySummary } from "./summaries.ts";

export type User = ArticleSummary | GallerySummary;

/** Which articles and galleries show an image, gathered while their pages are planned. */
export interface Uses {
  add(imageId: string, user: User): void;
  of(imageId: string): readonly User[];
}

export function createUses(): Uses {
  const users = new Map<string, User[]>();
  return {
    add(imageId, user) {
      const known = users.get(imageId);
      if (known === undefined) users.set(imageId, [user]);
      // An image that is attached and also stands in the body comes twice in a row.
      else if (known.at(-1) !== user) known.push(user);
    },
    of: (imageId) => users.get(imageId) ?? [],
  };
}

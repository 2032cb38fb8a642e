import type { ApiClient } from "./client.ts";

const acceptedMs = 60_000;

/** What every token may read. */
const firstArticles = { route: "index", index: "articles", page: 1 } as const;

/**
 * Makes a function that finds out, after a refusal of one thing, whether the token is refused altogether: then it
 * throws an ApiError. It asks at most once a minute.
 */
export function createTokenCheck({
  client,
  routes,
}: {
  client: Pick<ApiClient, "json">;
  routes: { urlOf(request: typeof firstArticles): string | undefined };
}): () => Promise<void> {
  let accepted = Number.NEGATIVE_INFINITY;
  let underway: Promise<void> | undefined;
  async function ask(): Promise<void> {
    const asked = performance.now();
    await client.json(routes.urlOf(firstArticles) as string);
    accepted = asked;
  }
  return async () => {
    if (performance.now() - accepted < acceptedMs) return;
    underway ??= ask().finally(() => {
      underway = undefined;
    });
    await underway;
  };
}

import type { ApiClient } from "./client.ts";

/** How long an accepted token is believed to be good; milliseconds. */
const acceptedMs = 60_000;

/** What every token may read. */
const firstArticles = { route: "index", index: "articles", page: 1 } as const;

/**
 * Makes the function that tells, after a refusal of one thing, whether the token is refused altogether. It asks no
 * more often than once a minute.
 *
 * @returns a function that throws ApiError where the token is refused
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

import type { ApiClient } from "./client.ts";

interface Asked {
  client: Pick<ApiClient, "json">;
  routes: { urlOf(request: typeof firstArticles): string | undefined };
}

const acceptedMs = 60_000;

/** What every token may read. */
const firstArticles = { route: "index", index: "articles", page: 1 } as const;

/** Makes a function that asks for what every origin has. @throws ApiError where there is no answer */
export function lookFor({ client, routes }: Asked): () => Promise<unknown> {
  return () => client.json(routes.urlOf(firstArticles) as string);
}

/**
 * Makes a function that finds out, after a refusal of one thing, whether the token is refused altogether: then it
 * throws an ApiError. It asks at most once a minute.
 */
export function createTokenCheck(asked: Asked): () => Promise<void> {
  const look = lookFor(asked);
  let accepted = Number.NEGATIVE_INFINITY;
  let underway: Promise<void> | undefined;
  async function ask(): Promise<void> {
    const begun = performance.now();
    await look();
    accepted = begun;
  }
  return async () => {
    if (performance.now() - accepted < acceptedMs) return;
    underway ??= ask().finally(() => {
      underway = undefined;
    });
    await underway;
  };
}

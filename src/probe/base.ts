import { ApiError } from "../errors.ts";
import { isObject } from "../lib/objects.ts";
import { rateFinding } from "./answers.ts";
import type { Answer } from "./prober.ts";
import type { Survey } from "./survey.ts";

/** Where an API usually lies below its host. */
const usualBases = ["/api/v1", "/api", "/v1", "/api/v2", "/v2"];

/**
 * Finds the article index, which every origin has: at the given address, or else below it and at the usual ones of its
 * host.
 *
 * @throws ApiError where there is none, or the token is refused
 */
export async function findBase({ prober, findings, pages }: Survey): Promise<void> {
  const given = prober.baseUrl;
  const first = await prober.ask("/articles");
  let answer = first;
  if (!isArticleIndex(first) && !isFatal(first?.error)) {
    for (const base of basesNear(given)) {
      prober.baseUrl = base;
      answer = await prober.ask("/articles");
      if (isArticleIndex(answer)) break;
    }
  }
  if (answer === undefined || !isArticleIndex(answer)) {
    prober.baseUrl = given;
    if (first?.error && isFatal(first.error)) throw first.error;
    throw new ApiError(`GET ${given}/articles: ${first?.came}, which is no list of articles`, {
      url: given,
      status: first?.error?.status ?? 200,
      attempts: 1,
      hint: "give the address to which /articles is added, such as https://media.example.org/api/v1 (origin.baseUrl)",
    });
  }
  const { baseUrl } = prober;
  const tls = baseUrl.startsWith("https:") ? "over TLS, certificate verified" : "without TLS";
  const moved = baseUrl === given ? "" : `; not at ${given}`;
  pages.set("articles", answer.page);
  const { asked, came } = answer;
  const sure = { asked, came, certainty: "sure" } as const;
  findings.push({
    subject: "address",
    ...sure,
    means: `the API answers at ${baseUrl}, ${tls}${moved}`,
    setting: { path: "origin.baseUrl", value: baseUrl },
  });
  findings.push({ subject: "token", ...sure, means: "accepted" });
  findings.push(rateFinding(answer.headers, asked));
}

/** Whether an answer lists objects; an empty list can be an archive that begins. */
export function isArticleIndex(answer: Answer | undefined): boolean {
  return answer?.page?.data.every((item) => isObject(item) && "id" in item) ?? false;
}

/** Whether no other address of the host would help. */
function isFatal(error: ApiError | undefined): boolean {
  const status = error?.status ?? 200;
  return status === 401 || status === 403 || status === 0 || status >= 500;
}

function basesNear(given: string): string[] {
  const { origin, pathname } = new URL(given);
  const below = pathname === "/" ? [] : usualBases.slice(0, 3).map((base) => given + base);
  const all = [...below, ...usualBases.map((base) => origin + base), origin];
  return all.filter((base) => base !== given);
}

import { allowanceOf, type Headers, policyOf } from "../api/headers.ts";
import { lastPageOf, totalOf } from "../crawl/plan.ts";
import { isObject } from "../lib/objects.ts";
import type { Finding, Survey } from "./survey.ts";

/** Asks for private images: what comes tells the kind of the token. */
export async function lookForPrivate({ prober, pages, findings }: Survey): Promise<void> {
  const open = pages.get("images");
  const answer = open && (await prober.ask("/images?private=1"));
  if (open === undefined || answer === undefined) return;
  const { asked, came, page, error } = answer;
  const told = { subject: "private images", asked, came };
  const more = (totalOf(page ?? open) ?? 0) - (totalOf(open) ?? 0);
  if (page !== undefined) {
    const means =
      more > 0
        ? `an organisation token: it sees ${more} private ones (crawl.privateImages)`
        : "no more images than without: none is private, or the token may not see them";
    findings.push({ ...told, means, certainty: more > 0 ? "sure" : "unknown" });
    return;
  }
  const isRefused = error !== undefined && error.status >= 400 && error.status < 500;
  const means = isRefused ? "a user token: it may not ask for them" : "no answer";
  findings.push({ ...told, means, certainty: isRefused ? "likely" : "unknown" });
}

/** Of an article that is looked at: all of them are compared with all. */
const maxTags = 100;

/** Asks for articles with two tags: they have both, or any of them. */
export async function lookAtTags({ prober, articles, findings, origin }: Survey): Promise<void> {
  const pair = twoTags(articles.map(({ tags }) => tags).filter(({ length }) => length <= maxTags));
  if (pair === undefined) return;
  const answer = await prober.ask(`/articles?tags=${pair.map(encodeURIComponent).join(",")}`);
  if (answer?.page === undefined) return;
  const { asked, came, page } = answer;
  const tagsOf = (item: unknown): unknown[] =>
    isObject(item) && Array.isArray(item.tags) ? item.tags : [];
  const haveBoth = page.data.every((item) => pair.every((tag) => tagsOf(item).includes(tag)));
  const means = `articles that have ${haveBoth ? "all" : "any"} of the tags`;
  const certainty = haveBoth ? "likely" : "sure";
  const setting = { path: "origin.tagMatch", value: origin.tagMatch } as const;
  findings.push({ subject: "several tags", asked, came, means, certainty, setting });
}

/** Two tags, each of an article that lacks the other. */
function twoTags(lists: readonly (readonly string[])[]): [string, string] | undefined {
  for (const [at, one] of lists.entries()) {
    for (const other of lists.slice(at + 1)) {
      const a = one.find((tag) => !other.includes(tag) && !tag.includes(","));
      const b = other.find((tag) => !one.includes(tag) && !tag.includes(","));
      if (a !== undefined && b !== undefined) return [a, b];
    }
  }
  return undefined;
}

/** Asks for the page behind the last one. */
export async function lookBehindTheEnd({ prober, pages, findings }: Survey): Promise<void> {
  const first = pages.get("articles");
  const last = first && lastPageOf(first);
  if (last === undefined) return;
  const answer = await prober.ask(`/articles?page=${last + 1}`);
  if (answer === undefined) return;
  const { asked, came, page, error } = answer;
  const isEmpty = page?.data.length === 0;
  const means = isEmpty
    ? "an empty list behind the last page"
    : error === undefined
      ? "another page is given behind the last one; the crawl counts for itself"
      : "no page behind the last one";
  findings.push({ subject: "behind the end", asked, came, means, certainty: "sure" });
}

/** What the origin says of its rate limit with an answer. */
export function rateFinding(headers: Headers, asked: string): Finding {
  const policy = policyOf(headers);
  const allowance = allowanceOf(headers, Date.now());
  const told = { subject: "rate", asked, certainty: "sure" } as const;
  if (policy !== undefined) {
    const came = `${policy.requests} in ${policy.perMs / 1000} s`;
    return { ...told, came, means: 'stated by the origin, and kept to with "auto"' };
  }
  if (allowance !== undefined) {
    const came = `${allowance.remaining} remain`;
    return { ...told, came, means: 'counted by the origin, and followed with "auto"' };
  }
  const means = '60 a minute with "auto"; ask the service, and set origin.rate if it allows more';
  return { ...told, came: "no word of a limit", means, certainty: "unknown" };
}

import type { z } from "zod";
import { readItem, WireArticle, WireGallery } from "../api/schema.ts";
import { lastPageOf, totalOf } from "../crawl/plan.ts";
import { append } from "../lib/many.ts";
import { withoutProof } from "../lib/words.ts";
import type { Parent } from "../routes/table.ts";
import type { Answer, Page } from "./prober.ts";
import type { Finding, Survey } from "./survey.ts";

/** Reads one page of each index that the API document names, and a second one of the articles. */
export async function readIndexes(survey: Survey): Promise<void> {
  const { prober, pages, findings } = survey;
  const articles = pages.get("articles");
  findings.push({
    subject: "articles",
    asked: "GET /articles",
    came: `${totalOf(articles as Page) ?? "an unknown number of"} items`,
    means: pageSizeIn(articles),
    certainty: "sure",
  });
  addItems(survey, "articles", articles);
  for (const name of ["galleries", "images", "categories", "tags"] as const) {
    if (survey.origin.paths[name] === null) continue;
    const answer = await prober.ask(`/${name}`);
    if (answer === undefined) continue;
    pages.set(name, answer.page);
    findings.push(findingOn(name, answer));
  }
  addItems(survey, "galleries", pages.get("galleries"));
  for (const object of pages.get("images")?.data ?? [])
    survey.files.push({ kind: "images", object });
  // The oldest articles show what the newest do not: other attachments, another half of the year.
  const last = (articles && lastPageOf(articles)) ?? 1;
  if (last > 1) {
    const answer = await prober.ask(`/articles?page=${last}`);
    addItems(survey, "articles", answer?.page);
  }
  if (pages.get("images") === undefined) findings.push(unprovedPictures(survey));
}

/** What it means that there is no index of images. */
function unprovedPictures({ pages, ...items }: Survey): Finding {
  const pictures = ["articles", "galleries"] as const;
  const estimates = pictures.map((name) => {
    const page = pages.get(name);
    const read = items[name].length;
    const total = (page && totalOf(page)) ?? read;
    const images = items[name].map(({ attachments }) => attachments.images ?? 0);
    return (images.reduce((sum, count) => sum + count, 0) * total) / Math.max(read, 1);
  });
  const count = Math.round(estimates.reduce((sum, one) => sum + one, 0));
  const { text, hint } = withoutProof(`about ${count} attached pictures`);
  const told = { subject: "pictures", asked: "index of images", came: "none" };
  return { ...told, means: `${text}; ${hint}`, certainty: "likely", isLoud: true };
}

function findingOn(name: "galleries" | "images" | "categories" | "tags", answer: Answer) {
  const { asked, came, page, error } = answer;
  const path = `origin.paths.${name}` as const;
  const told = { subject: name, asked, came };
  if (page !== undefined) {
    const means = name === "categories" || name === "tags" ? "listed whole" : pageSizeIn(page);
    return { ...told, means, certainty: "sure", setting: { path, value: `/${name}` } } as const;
  }
  const isAbsent = error !== undefined && [400, 401, 403, 404, 405, 410].includes(error.status);
  const means = isAbsent ? "this origin has no such index, or not for this token" : "no answer";
  const certainty = isAbsent ? "likely" : "unknown";
  const change = isAbsent && { setting: { path, value: null } };
  return { ...told, means, certainty, ...change } as const;
}

function pageSizeIn(page: Page | undefined): string {
  const size = page?.meta?.per_page || page?.data.length;
  return `${size} on a page`;
}

/** Adds the items of a page that have an id. */
export function addItems(survey: Survey, parent: Parent, page: Page | undefined): void {
  const schema = parent === "articles" ? WireArticle : WireGallery;
  const items = (page?.data ?? []).flatMap((item) => readItem(schema, item).data ?? []);
  append(survey[parent] as z.infer<typeof WireGallery>[], items);
}

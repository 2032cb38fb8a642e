import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { WorldCase } from "../case.ts";
import { odd } from "../world.ts";

export const worldCase: WorldCase = {
  says: "the average of ratings is a text",
  source: "Rails: a decimal column as JSON; MySQL through PHP's PDO",
  config: { site: { ratingScale: 5 } },
  change(world) {
    const article = world.articles.find(({ id }) => id === odd);
    Object.assign(article ?? {}, { rating: { average: "4.50", count: "2" } });
  },
  shows: ["Odd article"],
  also({ out }) {
    expect(readFileSync(join(out, "public/articles/odd-article.html"), "utf8")).toMatch(/4\.5/);
    expect(readFileSync(join(out, "report.md"), "utf8")).not.toContain("rating");
  },
};

import { locateBody, unknownMembers } from "../store/body.ts";
import { type Answer, objectOf } from "./prober.ts";
import type { ArticleItem, Survey } from "./survey.ts";
import { offsetIn, zonesWith } from "./zones.ts";

const single = "GET /articles/{id}";

/** Reads two articles in full, one from winter and one from summer: where the body is, and in which zone times are. */
export async function lookAtArticles(survey: Survey): Promise<void> {
  const answers: Answer[] = [];
  for (const { id } of halvesOfTheYear(survey.articles)) {
    const answer = await survey.prober.ask(`/articles/${encodeURIComponent(id)}`);
    if (answer !== undefined) answers.push(answer);
  }
  const [first] = answers;
  if (first === undefined) return;
  lookForBody(survey, answers);
  const objects = answers.map((answer) => objectOf(answer) ?? {});
  const offsets = objects.flatMap(({ published_at: time }) => offsetIn(time) ?? []);
  const zones = zonesWith(offsets);
  const { timezone } = survey.origin;
  const zone = zones.includes(timezone) ? timezone : zones[0];
  const told = { subject: "time zone", asked: single };
  if (zone === undefined) {
    const means = "no offset that tells; the crawl checks origin.timezone with one request";
    survey.findings.push({ ...told, came: "", means, certainty: "unknown" });
    return;
  }
  const others = zones.length > 1 ? `, or another of ${zones.length} with these offsets` : "";
  survey.findings.push({
    ...told,
    came: objects.map(({ published_at: time }) => String(time).slice(19)).join(", "),
    means: `times are written in ${zone}${others}`,
    certainty: "likely",
    setting: { path: "origin.timezone", value: zone },
  });
}

function lookForBody({ origin, findings }: Survey, answers: readonly Answer[]): void {
  const looked = answers.map((answer) => ({
    answer,
    ...locateBody(objectOf(answer), origin.bodyField),
  }));
  const found = looked.find(({ state }) => state === "found") ?? looked.find(({ path }) => path);
  const { answer } = found ?? (looked[0] as (typeof looked)[0]);
  const told = { subject: "body", asked: single, came: answer.came };
  const setting = { path: "origin.bodyField", value: origin.bodyField } as const;
  if (found?.path) {
    const means = `the text is in ${JSON.stringify(found.path.join("."))}`;
    const certainty = found.state === "found" ? "sure" : "likely";
    findings.push({ ...told, means, certainty, setting });
    return;
  }
  const members = unknownMembers(objectOf(answer)).join(", ") || "none beside the documented ones";
  const means = `not found: name the member in origin.bodyField; there are ${members}`;
  const open = { ...setting, value: undefined };
  findings.push({ ...told, means, certainty: "missing", setting: open });
}

/** The article that was published nearest to January, and the one nearest to July; one where both are the same. */
function halvesOfTheYear(articles: readonly ArticleItem[]): Set<ArticleItem> {
  const monthsFromJuly = ({ published_at: time }: ArticleItem): number =>
    time === null ? 3 : Math.abs(6 - new Date(time).getUTCMonth());
  const sorted = articles.toSorted((a, b) => monthsFromJuly(a) - monthsFromJuly(b));
  return new Set([sorted[0], sorted.at(-1)].filter((one) => one !== undefined));
}

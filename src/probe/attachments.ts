import { fitOf, likelyPaths, mostPaths } from "../crawl/attachment-paths.ts";
import { lastPageOf, totalOf } from "../crawl/plan.ts";
import { type AttachmentRoute, attachmentRoutes, type Parent, parents } from "../routes/table.ts";
import { addItems } from "./indexes.ts";
import type { Page } from "./prober.ts";
import { findPath } from "./search.ts";
import type { Finding, Survey } from "./survey.ts";

/** Requests that are left for the questions after this one. */
const spare = 8;

/** Finds the path of each attachment list: the configured one, or of the usual ones the first that answers. */
export async function findAttachments(survey: Survey): Promise<void> {
  for (const route of attachmentRoutes) {
    if (survey.origin.paths[route.path] === null) continue;
    survey.findings.push(await findList(survey, route));
  }
}

/** Reads further pages until they show an item of each kind that has an index with items, and finds the paths. */
export async function findUnseen(survey: Survey): Promise<void> {
  const { prober, pages, findings } = survey;
  const unseen = attachmentRoutes.filter((route) => {
    const index = pages.get(route.kind);
    const isThere = index !== undefined && (totalOf(index) ?? index.data.length) > 0;
    const isOpen = survey.origin.paths[route.path] !== null;
    return isOpen && isThere && exampleOf(survey, route) === undefined;
  });
  const isSought = (parent: Parent): boolean =>
    unseen.some((route) => route.parent === parent && exampleOf(survey, route) === undefined);
  const open = parents.map((parent) => ({ parent, last: lastOf(pages.get(parent)) }));
  const affords = (): boolean => prober.affords(1 + unseen.length);
  for (let page = 2; affords() && open.some(({ last }) => page <= last); page++) {
    for (const { parent, last } of open) {
      if (page > last || !isSought(parent) || !affords()) continue;
      addItems(survey, parent, (await prober.ask(`/${parent}?page=${page}`))?.page);
    }
  }
  for (const route of unseen) {
    if (exampleOf(survey, route) === undefined) continue;
    const at = findings.findIndex(({ setting }) => setting?.path === settingOf(route));
    findings[at] = await findList(survey, route, 0);
  }
}

async function findList(survey: Survey, route: AttachmentRoute, left = spare): Promise<Finding> {
  const { parent, kind, path } = route;
  const known = survey.shapes;
  const configured = survey.origin.paths[path] as string;
  const subject = `${kind} of ${parent}`;
  const setting = settingOf(route);
  const likely = likelyPaths(route, known, survey.nouns);
  // The default is the first of the usual ones, as long as nothing else is known.
  const isDefault = configured === `/${parent}/{id}/${kind}`;
  const example = exampleOf(survey, route);
  if (example === undefined) {
    const value = known.size === 0 || !isDefault ? configured : (likely[0] as string);
    return await checkGuess(survey, route, { subject, path: setting, value, left });
  }
  const means = `not found: fill in ${setting}, or null if this origin has none`;
  const found = await findPath(survey, {
    subject,
    path,
    kind,
    id: example.id,
    candidates: [...new Set([...(isDefault ? [] : [configured]), ...likely])].slice(0, mostPaths),
    spare: left,
    fits: ({ page }) => fitOf(page, kind, example.count),
    none: { means, certainty: "missing", value: undefined },
  });
  const { certainty, setting: { value } = {} } = found;
  if (typeof value === "string" && certainty !== "unknown") {
    const noun = value.split("/").at(-1) as string;
    // The last part may be a query.
    if (noun.includes("{id}")) return found;
    known.set(parent, `${value.slice(0, -noun.length).replace(parent, "{parent}")}{noun}`);
    survey.nouns.set(kind, noun);
  }
  return found;
}

const lastOf = (page: Page | undefined): number => (page && lastPageOf(page)) ?? 1;
const settingOf = ({ path }: AttachmentRoute) => `origin.paths.${path}` as const;

/** Asks a path of which no item was read. An empty list says that it is right, and 404 says nothing. */
async function checkGuess(
  survey: Survey,
  { parent, kind }: AttachmentRoute,
  guess: { subject: string; path: ReturnType<typeof settingOf>; value: string; left: number },
): Promise<Finding> {
  const { prober } = survey;
  const { subject, path, value, left } = guess;
  const [item] = survey[parent];
  const means = `a guess: none of the ${parent} that were read has ${kind}`;
  const told = { subject, asked: "nothing", came: "", setting: { path, value } };
  const id = encodeURIComponent(item?.id ?? "");
  const isAsked = item !== undefined && prober.affords(1 + left);
  const answer = isAsked ? await prober.ask(value.replace("{id}", id)) : undefined;
  if (answer === undefined) return { ...told, means, certainty: "unknown" };
  const { came, page } = answer;
  const asked = { ...told, asked: `GET ${value}`, came };
  if (page?.data.length === 0) return { ...asked, means: "there, and empty", certainty: "likely" };
  return { ...asked, means, certainty: "unknown" };
}

/** An article or gallery that has attachments of the kind, one whose count is known (not null) if there is any. */
function exampleOf({ articles, galleries }: Survey, { parent, kind }: AttachmentRoute) {
  const items = parent === "articles" ? articles : galleries;
  const counted = items.filter(({ attachments }) => (attachments[kind] ?? 0) > 0);
  const uncounted = items.filter(({ attachments }) => attachments[kind] === null);
  const found = counted[0] ?? uncounted[0];
  return found && { id: found.id, count: found.attachments[kind] };
}

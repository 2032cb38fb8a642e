import { fitOf, likelyPaths, mostPaths } from "../crawl/attachment-paths.ts";
import { type AttachmentRoute, attachmentRoutes, type Parent } from "../routes/table.ts";
import { findPath } from "./search.ts";
import type { Finding, Survey } from "./survey.ts";

/** Requests that are left for the questions after this one. */
const spare = 8;

/** Finds the path of each attachment list: the configured one, or of the usual ones the first that answers. */
export async function findAttachments(survey: Survey): Promise<void> {
  const known = new Map<Parent, string>();
  for (const route of attachmentRoutes) {
    if (survey.origin.paths[route.path] === null) continue;
    survey.findings.push(await findList(survey, route, known));
  }
}

/** @param known the shapes of paths that were found, by parent */
async function findList(
  survey: Survey,
  route: AttachmentRoute,
  known: Map<Parent, string>,
): Promise<Finding> {
  const { parent, kind, path } = route;
  const configured = survey.origin.paths[path] as string;
  const subject = `${kind} of ${parent}`;
  const setting = `origin.paths.${path}` as const;
  const likely = likelyPaths(route, known, survey.nouns);
  // The default is the first of the usual ones, as long as nothing else is known.
  const isDefault = configured === `/${parent}/{id}/${kind}`;
  const example = exampleOf(survey, route);
  if (example === undefined) {
    const means = `none of the ${parent} that were read has ${kind}`;
    const value = known.size === 0 ? configured : likely[0];
    const told = { subject, asked: "nothing", came: "", means };
    return { ...told, certainty: "unknown", setting: { path: setting, value } };
  }
  const means = `not found: fill in ${setting}, or null if this origin has none`;
  const found = await findPath(survey, {
    subject,
    path,
    kind,
    id: example.id,
    candidates: [...new Set([...(isDefault ? [] : [configured]), ...likely])].slice(0, mostPaths),
    spare,
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

/** An article or gallery that has attachments of the kind, one whose count is known (not null) if there is any. */
function exampleOf({ articles, galleries }: Survey, { parent, kind }: AttachmentRoute) {
  const items = parent === "articles" ? articles : galleries;
  const counted = items.filter(({ attachments }) => (attachments[kind] ?? 0) > 0);
  const uncounted = items.filter(({ attachments }) => attachments[kind] === null);
  const found = counted[0] ?? uncounted[0];
  return found && { id: found.id, count: found.attachments[kind] };
}

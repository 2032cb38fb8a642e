import { groupedBy } from "./frequency.ts";
import type { Problem } from "./reporter.ts";
import { andMore } from "./words.ts";

const uuid = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** Words of a subject that can be ids; a title or an id of an author may have any number. */
const maxWords = 20;

/** Subjects that the line of a group names. */
const named = 3;

const kinds = "article|gallery|image|video|document|audio|category|tag";
/** An item in a sentence or a path, maybe with its title. */
const item = new RegExp(
  `\\b((?:${kinds}) (?=\\S*\\d)|(?:articles|galleries|images|videos|documents)/+)[^\\s/?#:,;()]+` +
    '(?: "(?:[^"\\\\]|\\\\.){0,2000}")?',
  "g",
);

/**
 * A message without ids and titles, for readers who may not know a private one; `report.json` has them.
 *
 * anonymous("GET /images/7f3c: 404") → "GET /images/{id}: 404"
 */
export function anonymous(text: string): string {
  return text.replace(item, "$1{id}").replace(uuid, "{id}");
}

/** The same for a problem; its subject is the kind of the item, or the place at which it was found. */
export function anonymousProblem({ subject, reason, hint }: Problem): Problem {
  const [, kind, id] = new RegExp(`^(${kinds}) (.+)$`, "s").exec(subject) ?? [];
  const nameless = (text: string): string =>
    anonymous(text.replace(/[\w-]+/g, (word) => (word === id ? "{id}" : word)));
  return {
    // Earlier versions wrote id and title behind the place.
    subject: kind ?? anonymous(subject.replace(/ \((?:id |slug |").*$/s, "")),
    reason: nameless(reason),
    ...(hint !== undefined && { hint: nameless(hint) }),
  };
}

/** Equal for problems that only the item tells apart: ids in the subject, and where the reason repeats them, count as one. */
export function kindOf({ subject, reason }: Problem): string {
  return `${withoutIds(subject, subject)}\n${withoutIds(reason, subject)}`;
}

/**
 * One problem for all that only the item tells apart, the largest group first: it names the first subjects and how many
 * more there are. Groups of up to three stay single problems.
 */
export function grouped(problems: readonly Problem[]): Problem[] {
  const sorted = [...groupedBy(problems, kindOf).values()].sort((a, b) => b.length - a.length);
  return sorted.flatMap((group) => (group.length > named ? [summaryOf(group)] : group));
}

function summaryOf(group: readonly Problem[]): Problem {
  const [first] = group as [Problem];
  const subjects = [...new Set(group.slice(0, named).map(({ subject }) => subject))];
  return {
    ...first,
    subject: `${subjects.join(", ")}${andMore(group.length - subjects.length)}`,
    reason: withoutIds(first.reason, first.subject),
  };
}

function withoutIds(text: string, subject: string): string {
  const ids = subject.split(/[\s/]+/, maxWords).filter((word) => /\d/.test(word));
  return ids.reduce((rest, id) => rest.replaceAll(id, "{id}"), text).replace(uuid, "{id}");
}

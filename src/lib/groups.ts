import type { Problem } from "./reporter.ts";
import { andMore } from "./words.ts";

const uuid = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** Subjects that the line of a group names. */
const named = 3;

/** Equal for problems that only the item tells apart: ids in the subject, and where the reason repeats them, count as one. */
export function kindOf({ subject, reason }: Problem): string {
  return `${withoutIds(subject, subject)}\n${withoutIds(reason, subject)}`;
}

/**
 * One problem for all that only the item tells apart, the largest group first: it names the first subjects and how many
 * more there are. Groups of up to three stay single problems.
 */
export function grouped(problems: readonly Problem[]): Problem[] {
  const groups = new Map<string, Problem[]>();
  for (const problem of problems) {
    const key = kindOf(problem);
    const group = groups.get(key) ?? [];
    group.push(problem);
    groups.set(key, group);
  }
  const sorted = [...groups.values()].sort((a, b) => b.length - a.length);
  return sorted.flatMap((group) => (group.length > named ? [summaryOf(group)] : group));
}

function summaryOf(group: readonly Problem[]): Problem {
  const [first] = group as [Problem];
  const subjects = group.slice(0, named).map(({ subject }) => subject);
  return {
    ...first,
    subject: `${subjects.join(", ")}${andMore(group.length - named)}`,
    reason: withoutIds(first.reason, first.subject),
  };
}

function withoutIds(text: string, subject: string): string {
  const ids = subject.split(/[\s/]+/).filter((word) => /\d/.test(word));
  return ids.reduce((rest, id) => rest.replaceAll(id, "{id}"), text).replace(uuid, "{id}");
}

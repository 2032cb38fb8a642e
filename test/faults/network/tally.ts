import type { Finding } from "../scenario.ts";
import type { Case } from "./faults.ts";
import type { Outcome } from "./stage.ts";

/** What became of many runs with one fault each. */
export interface Tally {
  /** Runs that broke a rule so far. */
  readonly broken: number;
  /**
   * @param hit whether the run asked for the answer at all
   * @param next the night after it; undefined where the run was complete and right, or broken
   */
  add(one: Case, outcome: Outcome, hit: boolean, next: Outcome | undefined): void;
  /** An error that nothing caught would end the command with exit code 1, or without one. */
  escaped(error: unknown): void;
  finding(): Finding;
}

export function createTally(): Tally {
  const counts = { right: 0, told: 0, missed: 0, broken: 0 };
  const believed = new Map<string, { hits: number; stayed: number }>();
  /** By fault and rule, so that one mistake is one violation, however many answers show it. */
  const violations = new Map<string, { times: number; first: string }>();

  function breaks(rule: string, first: string): void {
    counts.broken++;
    const known = violations.get(rule) ?? { times: 0, first };
    violations.set(rule, known);
    known.times++;
  }

  function believe({ fault }: Case, healed: boolean): void {
    const known = believed.get(fault.name) ?? { hits: 0, stayed: 0 };
    believed.set(fault.name, known);
    known.hits++;
    if (!healed) known.stayed++;
  }

  return {
    get broken() {
      return counts.broken;
    },
    add(one, outcome, hit, next) {
      const { fault, target } = one;
      const place = `${target.stage}, answer ${target.nth} to ${target.name}`;
      if (!hit) counts.missed++;
      if (outcome.kind === "broken") {
        breaks(`${fault.name}: no orderly end`, `${place}: ${outcome.why}`);
        return;
      }
      const healed = next !== undefined && isRight(next);
      if (isRight(outcome)) counts.right++;
      else if (outcome.kind === "told") {
        counts.told++;
        if (healed) return;
        const why = `${place}: ${outcome.why}; then: ${next && wordsOf(next)}`;
        breaks(`${fault.name}: told, but wrong the next night`, why);
      } else if (fault.believable) believe(one, healed);
      else breaks(`${fault.name}: complete, and wrong`, `${place}: ${wordsOf(outcome)}`);
    },
    escaped(error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      breaks("an error that nobody caught", text);
    },
    finding: () => ({
      figures: [
        `${counts.right} complete and right, ${counts.told} named incomplete, ${counts.broken} neither; ` +
          `${counts.missed} did not come to the answer in question`,
        ...[...believed].map(
          ([name, { hits, stayed }]) =>
            `believed, as nothing contradicts it: ${name}, ${hits} times, ${stayed} of them also the next night`,
        ),
      ],
      violations: [...violations].map(
        ([rule, { times, first }]) => `${rule}, ${times} times, first in ${first}`,
      ),
    }),
  };
}

export function isRight(outcome: Outcome): boolean {
  return outcome.kind === "complete" && outcome.difference === undefined;
}

function wordsOf(outcome: Outcome): string {
  return outcome.kind === "complete" ? (outcome.difference ?? "right") : outcome.why;
}

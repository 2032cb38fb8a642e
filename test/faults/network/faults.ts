import { bodyFaults } from "./bodies.ts";
import { connectionFaults } from "./connection.ts";
import { type Fault, kindOf } from "./fault.ts";
import { fileFaults } from "./files.ts";
import type { Lane, Target } from "./lane.ts";
import { believableFaults, lieFaults } from "./lies.ts";
import type { Answer } from "./proxy.ts";
import { codingFaults, statusFaults } from "./statuses.ts";

/** Everything that can happen to an answer. */
export const faults: readonly Fault[] = [
  ...connectionFaults,
  ...statusFaults,
  ...codingFaults,
  ...bodyFaults,
  ...lieFaults,
  ...fileFaults,
  ...believableFaults,
];

/** One fault at one answer. */
export interface Case {
  fault: Fault;
  target: Target;
}

/** Every fault at every answer that it can befall, fault by fault. */
export function casesOf({ targets, known }: Pick<Lane, "targets" | "known">): Case[] {
  return faults.flatMap((fault) =>
    targets
      .filter(({ name }) => {
        const answer = known.get(name);
        return answer !== undefined && canBefall(fault, name, answer, known);
      })
      .map((target) => ({ fault, target })),
  );
}

/** Whether a fault would change an answer. */
export function canBefall(
  { on, fits }: Fault,
  name: string,
  answer: Answer,
  known: ReadonlyMap<string, Answer>,
): boolean {
  if (on !== undefined && !on.includes(kindOf(answer))) return false;
  return fits?.(name, answer, known) ?? true;
}

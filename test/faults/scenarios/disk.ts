import { type CrashCount, crashEverywhere } from "../disk/crashes.ts";
import { type FailureCount, failEverywhere } from "../disk/failures.ts";
import { models } from "../disk/power.ts";
import type { Scenario } from "../scenario.ts";

const number = (value: number): string => value.toLocaleString("en");

/** What the store has acknowledged survives whatever the disk does. */
export const disk: Scenario = {
  name: "disk",
  what: "the store on a simulated disk: a crash at every change in four models, an error at every call",
  async run({ long, brief, seed, note }) {
    const violations: string[] = [];
    const common = { seed, note, violate: (text: string) => void violations.push(text) };
    if (brief) {
      const rounds = { process: 0, strict: 1, torn: 0, reordered: 1 };
      return {
        figures: crashFigures(await crashEverywhere({ ...common, rounds, twice: false })),
        violations,
      };
    }
    const rounds = { process: 1, strict: 1, torn: long ? 40 : 7, reordered: long ? 8 : 2 };
    const figures = crashFigures(await crashEverywhere({ ...common, rounds, twice: false }));
    if (long) {
      const twice = { process: 4, strict: 4, torn: 8, reordered: 4 };
      figures.push(
        ...crashFigures(await crashEverywhere({ ...common, rounds: twice, twice: true })),
      );
    }
    const after = long ? models : (["process", "strict"] as const);
    figures.push(...failureFigures(await failEverywhere({ ...common, models: after })));
    return { figures, violations };
  },
};

function crashFigures({ changes, points, second, late }: CrashCount): string[] {
  const total = models.reduce((sum, model) => sum + points[model], 0);
  const each = models.map((model) => `${number(points[model])} ${model}`).join(", ");
  const more = second === 0 ? "" : `, ${number(second)} crashes of the run after a crash`;
  return [
    `${number(total)} crash points at ${number(changes)} changes to the disk: ${each}${more}`,
    `${number(late)} power cuts after the run that went on for a killed one`,
  ];
}

function failureFigures({ calls, injected, unmoved }: FailureCount): string[] {
  const each = Object.entries(injected).map(([code, times]) => `${number(times)} ${code}`);
  const total = Object.values(injected).reduce((sum, times) => sum + times, 0);
  return [
    `${number(total)} errors at ${number(calls)} calls: ${each.join(", ")}`,
    `${number(unmoved)} of them did not keep the run from its end`,
  ];
}

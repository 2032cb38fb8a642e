import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Scenario } from "./scenario.ts";
import { ageing } from "./scenarios/ageing.ts";
import { disk } from "./scenarios/disk.ts";
import { flips } from "./scenarios/flips.ts";
import { governor } from "./scenarios/governor.ts";
import { simultaneousStarts } from "./scenarios/starts.ts";

/** Those that take less than a minute each; `npm run test:faults` runs the others, too. */
const scenarios = [disk, governor, ageing, flips, simultaneousStarts];

describe("a scenario in its short form", () => {
  it.each(scenarios)("$name: $what", { timeout: 600_000 }, async (scenario: Scenario) => {
    const folder = mkdtempSync(join(tmpdir(), "stillpress-scenario-"));
    try {
      const context = { long: false, brief: false, seed: 1, folder, note: () => {} };
      const { figures, violations } = await scenario.run(context);
      expect(violations).toEqual([]);
      expect(figures).not.toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

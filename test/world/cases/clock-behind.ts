import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { walkSorted } from "../../../src/lib/files.ts";
import type { WorldCase } from "../case.ts";

const behindMs = 2 * 24 * 3_600_000;

export const worldCase: WorldCase = {
  says: "it is the day before yesterday by the origin's clock, so that this machine's is ahead",
  source: "a runner whose clock was wrong for a night",
  change(world) {
    world.alter = (answer) => {
      const date = new Date(Date.now() - behindMs).toUTCString();
      return { ...answer, headers: { ...answer.headers, date } };
    };
  },
  // So that answers come in more than one second.
  config: { origin: { rate: { requests: 10, perSeconds: 1 } } },
  also({ out }) {
    const { warnings } = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
    const told = warnings.filter(({ text }: { text: string }) => text.includes("clock says"));
    expect(told).toHaveLength(1);
    // A file from the future would be newer than what the next nights make, and tools would send it each time.
    const published = join(out, "public");
    for (const path of walkSorted(published)) {
      expect(statSync(join(published, path)).mtimeMs, path).toBeLessThan(
        Date.now() - behindMs + 60_000,
      );
    }
  },
};

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { walkSorted } from "../../src/lib/files.ts";
import type { WorldCase } from "./case.ts";

/** An origin whose clock differs from this machine's: told once, and no published file is newer than either says. */
export function clockCase(aheadMs: number, said: Pick<WorldCase, "says" | "source">): WorldCase {
  return {
    ...said,
    change(world) {
      world.alter = (answer) => {
        const date = new Date(Date.now() + aheadMs).toUTCString();
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
      const now = Date.now() + Math.min(aheadMs, 0);
      for (const path of walkSorted(published))
        expect(statSync(join(published, path)).mtimeMs, path).toBeLessThan(now + 30_000);
    },
  };
}

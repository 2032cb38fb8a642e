import { type Dialect, dialects } from "../governor/origin.ts";
import { followed, fullSpeed, pauses } from "../governor/proofs.ts";
import type { Finding, Scenario } from "../scenario.ts";

/** Never more than the rate, never before a pause ends, and hardly less than the rate allows. */
export const governor: Scenario = {
  name: "governor",
  what: "the rate, the pauses and the headers of an origin that counts for itself",
  async run({ long, seed, folder, note }) {
    const found: Finding[] = [];
    note("10,000 requests in real time");
    found.push(await fullSpeed(long ? 60_000 : 10_000));
    note("pauses and kills");
    found.push(await pauses(seed, long ? 100_000 : 10_000, folder));
    for (const dialect of Object.keys(dialects) as Dialect[]) {
      note(dialect);
      found.push(await followed(dialect, long ? 10_000 : 1_000));
    }
    return {
      figures: found.flatMap(({ figures }) => figures),
      violations: found.flatMap(({ violations }) => violations),
    };
  },
};

import { nameKinds } from "../names/grammar.ts";
import { pressHostileNames, pressUnspeakableNames } from "../names/pressed.ts";
import { putSideBySide, putThroughTable } from "../names/table.ts";
import type { Scenario } from "../scenario.ts";

const number = (value: number): string => value.toLocaleString("en");

/** Names from outside never decide where a file is written. */
export const names: Scenario = {
  name: "names",
  what: "hostile ids, slugs, categories, tags and links through the route table and the writer",
  async run({ long, seed, note }) {
    const table = putThroughTable(seed, long ? 5_000_000 : 1_000_000, (done) =>
      note(`${number(done)} names`),
    );
    const beside = putSideBySide(seed, long ? 20_000 : 4_000);
    note("a real build");
    const pressed = await pressHostileNames(seed, long ? 6_000 : 2_000);
    const unspeakable = await pressUnspeakableNames();
    return {
      figures: [
        `${number(table.names)} names of ${nameKinds.length} kinds and their pairs, ${number(table.paths)} paths`,
        `${number(table.refused)} of them are refused where they come in`,
        `${number(beside.files)} files of names side by side`,
        ...pressed.figures,
        ...unspeakable.figures,
      ],
      violations: [
        ...table.tally.lines(),
        ...beside.tally.lines(),
        ...pressed.violations,
        ...unspeakable.violations,
      ],
    };
  },
};

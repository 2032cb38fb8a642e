import { afterAll, beforeAll, describe, it } from "vitest";
import { isHere } from "../support/web-servers.ts";
import { check, expectedOf } from "./check.ts";
import { hosts, type PersonalityName } from "./row.ts";
import { kinds } from "./rows.ts";
import { startWorld, type World } from "./world.ts";

/** Holds an origin of a personality, and its archive on every host, against each row of the API document. */
export function testContract(name: PersonalityName): void {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(name);
  });
  afterAll(() => world?.close());

  describe.each(hosts)(`the ${name} content on %s`, (host) => {
    if (!isHere(host)) return;
    for (const { kind, rows } of kinds) {
      describe(kind, () => {
        it.each(rows.map((row) => [row.method ?? "GET", row.ask, row.says, row] as const))(
          "%s %s: %s",
          (_method, _ask, _says, row) => check({ world, host, row }, expectedOf(row, name, host)),
        );
      });
    }
  });
}

import { afterAll, beforeAll, describe, it } from "vitest";
import { installed, type ServerName, serverNames } from "../support/web-servers.ts";
import { check, expectedOf } from "./check.ts";
import { type Host, hosts, type PersonalityName } from "./row.ts";
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

/** Whether a host can be asked here. In CI its absence is a failure, elsewhere a test that is seen to be skipped. */
function isHere(host: Host): boolean {
  if (!serverNames.includes(host as ServerName) || installed(host as ServerName)) return true;
  const title = `${host} is not installed`;
  if (process.env.CI) {
    it(title, () => {
      throw new Error(title);
    });
  } else it.skip(title, () => {});
  return false;
}

import { afterEach, expect, it } from "vitest";
import { type Press, type RunSettings, startPress, stillpress } from "../support/archive.ts";

const presses: Press[] = [];
afterEach(async () => {
  for (const press of presses.splice(0)) await press.close();
});

it("may be left unread: the command still ends with its own exit code", async () => {
  for (const articles of [6, 8]) {
    presses.push(await startPress({ size: { articles, galleries: 1, images: 2 } }));
  }
  const [one, other] = presses as [Press, Press];
  const token = one.origin.tokens.organisation;
  const args = ["compare", "--config", one.configFile, "--sample", "30"];
  const mirror = ["--mirror", other.origin.baseUrl, "--mirror-token-env", "MIRROR_TOKEN"];
  const run = (settings: RunSettings = {}) =>
    stillpress([...args, ...mirror], {
      ...settings,
      env: { STILLPRESS_TOKEN: token, MIRROR_TOKEN: other.origin.tokens.organisation },
    });
  expect((await run()).code).toBe(5);
  expect((await run({ started: (child) => child.stdout?.destroy() })).code).toBe(5);
});

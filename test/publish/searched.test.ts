import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createUnsigner } from "../../src/api/signatures.ts";
import { GuardError } from "../../src/errors.ts";
import { nodeDisk } from "../../src/lib/disk.ts";
import type { BuildResult } from "../../src/publish/build.ts";
import { descriptionOf, writeDeployment } from "../../src/publish/deploy.ts";
import { makeConfig } from "../mirror/fixture.ts";
import { type Publishing, startPublishing } from "./support.ts";

const token = "the-token-of-tomorrow-77";
const signature = "zq81xw7722mnop45klst";

describe("files that have not changed since the last build", () => {
  let publishing: Publishing;
  beforeEach(() => {
    publishing = startPublishing();
    publishing.edit(`A title with ${token} and ${signature} in it`);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    publishing.close();
  });

  const buildWith = (...secrets: string[]): Promise<BuildResult> =>
    publishing.build({}, { secrets });
  const recordPath = (): string => join(publishing.out, "builds", publishing.shown(), "build.json");

  it("are looked through for a new token", async () => {
    await buildWith("the-token-of-today-66");
    await expect(buildWith(token)).rejects.toThrow(GuardError);
    await expect(buildWith(token)).rejects.toThrow(/would contain the access token/);
  });

  it.each(["X-Api-Key", "Cookie", "X-Auth-Token"])(
    "are looked through for the secret of a gateway: %s",
    async (name) => {
      await buildWith("the-token-of-today-66");
      const { origin } = makeConfig({});
      const config = { origin: { ...origin, headers: { [name.toLowerCase()]: token } } };
      await expect(publishing.build(config)).rejects.toThrow(GuardError);
      const harmless = { origin: { ...origin, headers: { "x-client": token } } };
      await expect(publishing.build(harmless)).resolves.toMatchObject({ removed: 0 });
    },
  );

  it("are looked through for the password of a proxy", async () => {
    await buildWith("the-token-of-today-66");
    vi.stubEnv("HTTPS_PROXY", `http://nightly:${token}@proxy.test:3128`);
    await expect(buildWith("the-token-of-today-66")).rejects.toThrow(GuardError);
  });

  it("are looked through for a token that was not known then", async () => {
    await buildWith("the-token-of-today-66");
    publishing.edit(`Another title with ${token}`);
    await buildWith();
    await expect(buildWith(token)).rejects.toThrow(GuardError);
  });

  it("lose the signatures of a host that is known only now, and are not made anew again", async () => {
    const { origin } = makeConfig({});
    const link = `https://files.example/1.jpg?expires=9&signature=${signature}`;
    publishing.edit(`A title with ${link} in it`);
    const unsigner = createUnsigner(origin);
    await publishing.build({}, { unsigner });
    expect(publishing.holding(signature)).not.toEqual([]);
    unsigner.learn({ links: { self: link } });
    const second = await publishing.build({}, { unsigner });
    expect([second.published, second.added, second.removed]).toEqual([true, 0, 0]);
    expect(publishing.holding(signature)).toEqual([]);
    unsigner.learn({ links: { self: link.replace(signature, "another1of2the3next4night") } });
    const third = await publishing.build({}, { unsigner });
    expect([third.published, third.rendered]).toEqual([false, 0]);
  });

  it("are not looked through for the same secrets again, nor where none are known", async () => {
    const known = "the-token-of-today-66";
    await buildWith(known);
    const { mtimeMs, ino } = statSync(recordPath());
    // Nobody would find it without looking.
    writeFileSync(join(publishing.out, "public/index.html"), known);
    for (const secrets of [[known], [], ["short"]]) {
      const result = await buildWith(...secrets);
      expect([result.published, result.rendered]).toEqual([false, 0]);
    }
    expect(statSync(recordPath())).toMatchObject({ mtimeMs, ino });
    expect(publishing.read("../build.json")).not.toContain(known);
    // What the command "hosts" wrote beside is no reason for another build.
    const shown = publishing.shown();
    const build = join(publishing.out, "builds", shown);
    await writeDeployment(build, descriptionOf(build, "api/v1"), ["caddy"], nodeDisk);
    const other = await buildWith("the-token-of-next-week-88");
    expect(publishing.shown()).toBe(shown);
    expect([other.published, other.rendered]).toEqual([false, 0]);
  });
});

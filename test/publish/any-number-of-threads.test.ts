import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { personalities } from "../../src/demo/options.ts";
import { startPress } from "../support/archive.ts";
import { contents } from "../support/contents.ts";

const logo = new URL("../../templates/assets/icon.svg", import.meta.url).pathname;

describe("a build", () => {
  it.each(Object.keys(personalities) as (keyof typeof personalities)[])(
    "is the same by any number of threads: %s",
    { timeout: 120_000 },
    async (personality) => {
      const site = { logo, search: "bodies", url: "https://archive.test" };
      const press = await startPress({ personality, config: { site } });
      const settings = JSON.parse(readFileSync(press.configFile, "utf8"));
      /** What is published, with the manifest, of a build from nothing. */
      const built = async (workers: number) => {
        for (const name of ["builds", "public", "deploy", "store/published"])
          rmSync(join(press.out, name), { recursive: true, force: true });
        writeFileSync(press.configFile, JSON.stringify({ ...settings, build: { workers } }));
        const run = await press.run("build");
        expect(run.code, run.stderr).toBe(0);
        const [name = ""] = readdirSync(join(press.out, "builds"));
        const files = [...contents(join(press.out, "builds", name, "public"))];
        return new Map(files.map(({ path, bytes }) => [path, bytes.toString("latin1")]));
      };
      const first = await press.run("snapshot");
      expect(first.code, first.stderr).toBe(0);
      const one = await built(1);
      expect(one.size).toBeGreaterThan(500);
      for (const workers of [2, 4]) {
        const more = await built(workers);
        expect([...more.keys()]).toEqual([...one.keys()]);
        const others = [...one].filter(([path, bytes]) => more.get(path) !== bytes);
        expect(others.map(([path]) => path)).toEqual([]);
      }
      await press.close();
    },
  );
});

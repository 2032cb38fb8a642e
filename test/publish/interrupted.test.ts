import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Interrupted } from "../../src/errors.ts";
import { silent } from "../../src/lib/reporter.ts";
import { type Publishing, startPublishing } from "./support.ts";

describe("a build that is ended", () => {
  let publishing: Publishing;
  beforeEach(() => {
    publishing = startPublishing();
  });
  afterEach(() => publishing.close());

  const builds = (): string[] =>
    readdirSync(join(publishing.out, "builds")).filter((name) => /^[0-9a-f]{16}/.test(name));

  it.each<[string, number, () => object]>([
    [
      "by a signal while files are made",
      0,
      () => {
        const stop = new AbortController();
        // As a signal of the system comes: not before the program looks at what else happens.
        setImmediate(() => stop.abort(new Error("stop")));
        return { signal: stop.signal };
      },
    ],
    [
      "because the lock is lost when all is ready",
      1,
      () => ({
        beforePublish() {
          throw new Error("stop");
        },
      }),
    ],
  ])("%s leaves what was published, and %i build beside it", async (_, left, howOf) => {
    await publishing.build();
    const shown = publishing.shown();
    publishing.edit("A title of today");
    await expect(publishing.build({}, howOf())).rejects.toThrow("stop");
    expect(publishing.shown()).toBe(shown);
    expect(builds().filter((name) => name !== shown).length).toBeLessThanOrEqual(left);
    await publishing.build();
    expect(publishing.shown()).not.toBe(shown);
    expect(publishing.holding("A title of today")).not.toEqual([]);
  });

  it("by a signal is not held up by what it leaves, and the next build removes that", async () => {
    const unfinished = (): string[] =>
      readdirSync(join(publishing.out, "builds")).filter((name) => name.startsWith("staging-"));
    await publishing.build();
    publishing.edit("A title of today");
    const stop = new AbortController();
    const advance = (): void => {
      if (unfinished().length > 0) stop.abort(new Interrupted("SIGTERM"));
    };
    const stage = (name: string) => ({ ...silent.stage(name), advance });
    const how = { signal: stop.signal, reporter: { ...silent, stage } };
    await expect(publishing.build({}, how)).rejects.toThrow(Interrupted);
    expect(unfinished().length).toBe(1);
    await publishing.build();
    expect(unfinished()).toEqual([]);
    expect(publishing.holding("A title of today")).not.toEqual([]);
  });
});

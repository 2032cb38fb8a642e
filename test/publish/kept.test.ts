import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { walkSorted } from "../../src/lib/files.ts";
import { listBuilds } from "../../src/publish/rollback.ts";
import { type Publishing, startPublishing } from "./support.ts";

/** Modification times of published files by path. */
function timesOf(root: string): Record<string, number> {
  return Object.fromEntries(
    [...walkSorted(root)].map((path) => [path, statSync(join(root, path)).mtimeMs]),
  );
}

describe("what is published, kept in the store", () => {
  let archive: Publishing;
  beforeEach(() => {
    archive = startPublishing();
  });
  afterEach(() => archive.close());

  const root = (): string => join(archive.out, "public");
  const record = (): string => join(archive.out, "store", "published");
  const loseBuilds = (): void => {
    for (const name of ["public", "deploy", "builds"]) {
      rmSync(join(archive.out, name), { recursive: true, force: true });
    }
  };
  const at = (second: number) => ({ now: () => new Date(1_900_000_000_000 + second * 1_000) });

  it("gives a build from the store alone the times of before, and counts nothing as new", async () => {
    await archive.build({}, at(0));
    archive.edit("Another");
    expect(await archive.build({}, at(10))).toMatchObject({ added: 0, published: true });
    const before = timesOf(root());
    loseBuilds();
    expect(await archive.build({}, at(20))).toMatchObject({ added: 0, changed: 0, removed: 0 });
    expect(timesOf(root())).toEqual(before);
  });

  it("counts what differs, and moves the times of that alone", async () => {
    await archive.build({}, at(0));
    const before = timesOf(root());
    archive.edit("Another");
    loseBuilds();
    const built = await archive.build({}, at(10));
    expect(built).toMatchObject({ added: 0, removed: 0, published: true });
    expect(built.changed).toBeGreaterThan(0);
    const after = timesOf(root());
    const moved = Object.keys(after).filter((path) => after[path] !== before[path]);
    expect(moved).toHaveLength(built.changed);
    expect(new Set(moved.map((path) => after[path]))).toEqual(new Set([1_900_000_010_000]));
  });

  it("takes later times for other content within one second", async () => {
    await archive.build({}, at(0));
    const before = timesOf(root());
    archive.edit("Another");
    const { changed } = await archive.build({}, at(0));
    const later = Object.entries(timesOf(root())).filter(
      ([path, time]) => time > (before[path] as number),
    );
    expect(later).toHaveLength(changed);
  });

  it("is no reason to fail where it is damaged", async () => {
    await archive.build({}, at(0));
    for (const name of readdirSync(record())) writeFileSync(join(record(), name), "{");
    loseBuilds();
    const built = await archive.build({}, at(10));
    expect(built.added).toBe(built.files);
    loseBuilds();
    expect(await archive.build({}, at(20))).toMatchObject({ added: 0, changed: 0 });
  });

  it("is written for a build of a version that did not", async () => {
    await archive.build({}, at(0));
    rmSync(record(), { recursive: true });
    expect(await archive.build({}, at(10))).toMatchObject({ published: false });
    expect(readdirSync(record())).toContain(`${archive.shown()}-files.ndjson`);
  });

  it("holds no more builds than a rollback may need", async () => {
    for (const [n, title] of ["A", "B", "C", "D"].entries()) {
      archive.edit(title);
      await archive.build({ keepBuilds: 1 }, at(n));
    }
    expect(readdirSync(record())).toHaveLength(3);
    expect(listBuilds(archive.out)).toHaveLength(2);
  });
});

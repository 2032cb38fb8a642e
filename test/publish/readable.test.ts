import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rollBack } from "../../src/publish/rollback.ts";
import { startPublishing } from "./support.ts";

it("can be read by a server of another user, whatever the umask is, and the store cannot", async () => {
  const before = process.umask(0o077);
  const archive = startPublishing();
  try {
    const closed = (): string[] => {
      const build = join(realpathSync(join(archive.out, "public")), "..");
      const paths = readdirSync(build, { recursive: true }).map((path) =>
        join(build, String(path)),
      );
      return [build, ...paths].filter((path) => {
        const { mode } = statSync(path);
        const right = statSync(path).isDirectory() ? 0o055 : 0o044;
        return (mode & right) !== right;
      });
    };
    for (const title of ["One", "Two", "Three"]) {
      archive.edit(title);
      await archive.build();
      expect(closed()).toEqual([]);
    }
    await rollBack(archive.out, { now: () => new Date(Date.now() + 5_000) });
    expect(closed()).toEqual([]);
    for (const path of [archive.out, join(archive.out, "builds")])
      expect(statSync(path).mode & 0o077).toBe(0o011);
    expect(statSync(join(archive.out, "store")).mode & 0o077).toBe(0);
  } finally {
    archive.close();
    process.umask(before);
  }
});

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { walkSorted } from "../../src/lib/files.ts";
import { type Publishing, startPublishing } from "../publish/support.ts";
import { stillpress } from "../support/archive.ts";

let archive: Publishing;
beforeEach(async () => {
  archive = startPublishing();
  await archive.build();
});
afterEach(() => archive.close());

it("lays together what Netlify and Vercel take, in a folder of its own", async () => {
  for (const [host, own] of [
    ["netlify", "netlify.toml"],
    ["vercel", "vercel.json"],
  ] as const) {
    const to = join(archive.out, `for-${host}`);
    const run = () => stillpress(["hosts", host, "--to", to, "--out", archive.out]);
    expect((await run()).code).toBe(0);
    const paths = [...walkSorted(to)];
    expect(paths).toContain(own);
    const published = [...walkSorted(`${join(archive.out, "public")}/`)];
    expect(paths.filter((path) => path.startsWith("public/"))).toEqual(
      published.map((path) => `public/${path}`),
    );
    // What somebody changes there is not the archive.
    writeFileSync(join(to, "public/index.html"), "changed");
    expect(readFileSync(join(archive.out, "public/index.html"), "utf8")).not.toBe("changed");
    expect((await run()).code).toBe(2);
  }
  const refused = await stillpress(["hosts", "nginx", "--to", "x", "--out", archive.out]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("netlify or vercel") });
});

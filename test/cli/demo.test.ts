import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDir } from "../demo/support.ts";
import { stillpress } from "../support/archive.ts";

let temporary: Awaited<ReturnType<typeof temporaryDir>>;
beforeAll(async () => {
  temporary = await temporaryDir();
});
afterAll(() => temporary.remove());

const oddity = /no body|recognisable|requested again|remark|problem|warning|missing/i;

// Its records round the sizes of files.
it.each([
  ["plain", false],
  ["odd", false],
  ["strict", true],
])("tells somebody who tries the demo with the %s origin of oddities: %s", async (name, odd) => {
  const size = ["--articles", "42", "--galleries", "1", "--images", "2", "--port", "0"];
  const out = `${temporary.dir}/${name}`;
  const run = await stillpress(["demo", "--personality", name, ...size, "--out", out]);
  expect(run.code).toBe(0);
  const [remarks = ""] = /^## Remarks$.*/ms.exec(readFileSync(`${out}/report.md`, "utf8")) ?? [];
  expect(oddity.test(run.stdout + run.stderr + remarks)).toBe(odd);
});

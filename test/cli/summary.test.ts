import { expect, it } from "vitest";
import { printSummary } from "../../src/cli/summary.ts";
import { emptyReport } from "../../src/publish/report.ts";

it.each([
  [0, { count: 20, doubtful: 12 }, "20 files, 12 of them not as recorded, see"],
  [0, { count: 1, doubtful: 0 }, "1 file, see"],
  [2, { count: 0, doubtful: 0 }, "2 on the crawl and the pages, see"],
  [1, { count: 1, doubtful: 0 }, "1 on the crawl and the pages; 1 file, see"],
  [0, { count: 0, doubtful: 0 }, undefined],
])("the summary has a row for %i remarks and those on files %o → %s", (crawl, files, expected) => {
  const parts: unknown[] = [];
  const output = { write: (part: unknown) => parts.push(part) > 0 };
  const report = {
    ...emptyReport(),
    remarks: Array.from({ length: crawl }, () => ({ subject: "x", reason: "y" })),
    media: {
      ...{ wanted: 0, checked: 0, downloaded: 0, encoded: 0, rechecked: 0 },
      remarks: {
        ...files,
        bare: 0,
        places: 0,
        absent: 0,
        unvalidated: 3,
        unconditional: false,
        first: [],
      },
    },
  };
  printSummary(report, { out: "/archive/out" }, ["media"], output);
  const text = parts.join("");
  const row = /^ {2}remarks {4}(.*)$/m.exec(text)?.[1];
  expect(row).toBe(expected && `${expected} /archive/out/report.md`);
  expect(text).toContain("exit 0");
});

it("names the folder to serve where it is not the usual one", () => {
  let printed = "";
  const output = {
    write(text: string) {
      printed += text;
      return true;
    },
  };
  printSummary(emptyReport(), { out: "/archive/out" }, ["build"], output);
  expect(printed).toContain("npx stillpress serve --out /archive/out\n");
});

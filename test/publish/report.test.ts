import { describe, expect, it } from "vitest";
import type { Remarks } from "../../src/media/remarks.ts";
import { emptyReport, type Report, reportMarkdown } from "../../src/publish/report.ts";
import { noRemarks } from "../support/remarks.ts";

const first = [{ subject: "video 7f3c", remark: "12 bytes, the record says 10" }];

/** What stands under the heading, to the end of the report. */
function remarksOf(given: Partial<Report>): string | undefined {
  return reportMarkdown({ ...emptyReport(), ...given }).split("## Remarks\n\n")[1];
}

function withFiles(remarks: Partial<Remarks>): Pick<Report, "media"> {
  return withMedia({ remarks: { ...noRemarks, ...remarks } });
}

function withMedia(given: Partial<NonNullable<Report["media"]>>): Pick<Report, "media"> {
  const counts = { wanted: 0, checked: 0, downloaded: 0, encoded: 0, rechecked: 0 };
  return { media: { ...counts, remarks: noRemarks, ...given } };
}

/** What a run leaves in which nothing was new. */
const quiet: Partial<Report> = {
  ...withFiles({ count: 2, first }),
  snapshot: "2026-11-02T02-00-00Z",
  complete: true,
  requests: 22,
  remarks: [{ subject: "index of articles", reason: "its order changes" }],
};

describe("the report of a quiet night", () => {
  it.each<[string, Partial<Report>, string | undefined]>([
    ["3 remarks", {}, "3 remarks"],
    ["those of the crawl", { media: null }, "1 remark"],
    ["those on files", { remarks: [] }, "2 remarks"],
    ["none", { remarks: [], media: null }, undefined],
  ])("begins with that, and counts the remarks of the night before: %s", (_, given, told) => {
    const report = { ...quiet, ...given };
    const lines = reportMarkdown({ ...emptyReport(), ...report }).split("\n");
    expect(lines[2]).toBe("Nothing changed since snapshot 2026-11-02T02-00-00Z.");
    expect(remarksOf(report)).toBe(told && `- ${told} as in the last run, see report.json\n`);
  });

  it.each<[string, Partial<Report>]>([
    ["an item is new", { changes: { articles: { added: 1, changed: 0, removed: 0 } } }],
    ["another build is shown", { published: true }],
    ["a page has changed", { changes: { files: { added: 0, changed: 1, removed: 0 } } }],
    ["a file was downloaded", withMedia({ downloaded: 1 })],
    ["the run failed", { exitCode: 3 }],
    ["nobody asked the origin", { requests: 0 }],
    ["there is no snapshot", { snapshot: null }],
  ])("says nothing of the kind where %s", (_, given) => {
    const page = reportMarkdown({ ...emptyReport(), ...quiet, ...given });
    expect(page).not.toContain("Nothing changed");
    expect(page).toContain("- index of articles: its order changes\n");
  });
});

describe("the report's remarks", () => {
  it.each([[{}], [withFiles({})]])("are not there where nothing is to be said: %o", (given) => {
    expect(remarksOf(given)).toBeUndefined();
  });

  it("are listed, and the others are counted", () => {
    expect(remarksOf(withFiles({ count: 61, doubtful: 12, first }))).toBe(
      [
        "61 files with a remark, 12 not as recorded.",
        "",
        "- video: 12 bytes, the record says 10",
        "- and 60 more",
        "",
      ].join("\n"),
    );
  });

  it("begin with what the crawl found odd", () => {
    const remarks = [
      { subject: "index of articles", reason: "its order changes", hint: "sort by id, too" },
      { subject: "index of images", reason: "its order changes" },
    ];
    expect(remarksOf({ remarks, ...withFiles({ count: 1, first }) })).toBe(
      [
        "- index of articles: its order changes (sort by id, too)",
        "- index of images: its order changes",
        "",
        "1 file with a remark, 0 not as recorded.",
        "",
        "- video: 12 bytes, the record says 10",
        "",
      ].join("\n"),
    );
  });

  it("count the pictures without renditions, and the files that the origin has not", () => {
    expect(remarksOf(withFiles({ count: 4, doubtful: 1, bare: 2, absent: 1, first }))).toContain(
      "4 files with a remark, 1 not as recorded, 2 kept without renditions, 1 missing at the origin.\n",
    );
  });

  it("say what is not noticed where the origin gives no validators", () => {
    const unvalidated =
      "1234 files without validators (ETag, Last-Modified): if one is replaced while its record stays the same, the replacement is not noticed.\n";
    expect(remarksOf(withFiles({ unvalidated: 1234 }))).toBe(unvalidated);
    expect(remarksOf(withFiles({ count: 1, unvalidated: 1234, first }))).toBe(
      `${unvalidated}\n1 file with a remark, 0 not as recorded.\n\n- video: 12 bytes, the record says 10\n`,
    );
  });

  it("say that an origin ignores conditions", () => {
    expect(remarksOf(withFiles({ unconditional: true }))).toMatch(
      /^The origin ignores conditions .*\n$/,
    );
  });
});

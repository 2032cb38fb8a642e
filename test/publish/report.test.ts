import { describe, expect, it } from "vitest";
import { emptyReport, reportMarkdown } from "../../src/publish/report.ts";

const remarks = { count: 0, doubtful: 0, unvalidated: 0, unconditional: false, first: [] };
const first = [{ subject: "video 7f3c", remark: "12 bytes, the record says 10" }];

/** What stands under the heading, to the end of the report. */
function remarksOf(given: Parameters<typeof reportMarkdown>[0]["remarks"]): string | undefined {
  return reportMarkdown({ ...emptyReport(), remarks: given }).split("## Remarks\n\n")[1];
}

describe("the report's remarks", () => {
  it.each([[null], [remarks]])("are not there where nothing is to be said: %o", (given) => {
    expect(remarksOf(given)).toBeUndefined();
  });

  it("are listed, and the others are counted", () => {
    expect(remarksOf({ ...remarks, count: 61, doubtful: 12, first })).toBe(
      [
        "61 files with a remark, 12 other than the record says.",
        "",
        "- video 7f3c: 12 bytes, the record says 10",
        "- and 60 more",
        "",
      ].join("\n"),
    );
  });

  it("say what is not noticed where the origin gives no validators", () => {
    const unvalidated =
      "1234 files without validators (ETag, Last-Modified): one that is replaced while its record stays the same is not noticed.\n";
    expect(remarksOf({ ...remarks, unvalidated: 1234 })).toBe(unvalidated);
    expect(remarksOf({ ...remarks, count: 1, unvalidated: 1234, first })).toBe(
      `${unvalidated}\n1 file with a remark, 0 other than the record says.\n\n- video 7f3c: 12 bytes, the record says 10\n`,
    );
  });

  it("say that an origin looks at no conditions", () => {
    expect(remarksOf({ ...remarks, unconditional: true })).toMatch(
      /^The origin sends files anew .*\n$/,
    );
  });
});

// A service with more private images, and more malformed ones, than a call takes arguments.
import { describe, expect, it } from "vitest";
import { createIdFinder } from "../../src/catalogue/id-finder.ts";
import { createLeakGuard } from "../../src/publish/leaks.ts";
import { emptyReport, reportMarkdown } from "../../src/publish/report.ts";

const count = 150_000;
const idOf = (n: number): string => `1f3c9a52-0b7e-4d11-9c5e-${String(n).padStart(12, "0")}`;
const ids = Array.from({ length: count }, (_, n) => idOf(n));

describe("150,000 ids that may not be shown", () => {
  it("are looked for, and the last of them is found", () => {
    const finder = createIdFinder(ids);
    expect(finder.withoutIds(`x ${idOf(count - 1)}`)).not.toContain(idOf(count - 1));
    expect(createIdFinder(ids.slice(1)).key).not.toBe(finder.key);
    const guard = createLeakGuard({ tokens: [], ids: new Set(ids), isUnshownBlob: () => false });
    expect(() => guard.checkText("a.html", idOf(count - 1))).toThrow(
      "the id of something that is not published",
    );
  });

  it("are found where all images of a snapshot that does not prove its index may be private", () => {
    const shown = new Set(ids);
    const unproved = { folders: ["images"], shows: (id: string) => shown.has(id), key: "" };
    expect(createIdFinder([], unproved).idsIn(`/images/${idOf(count)} /images/${idOf(1)}`)).toEqual(
      [idOf(count)],
    );
  });

  it("end in a report of 20 lines where each of them failed", () => {
    const problems = ids.map((id) => ({ subject: `image ${id}`, reason: "download: 404" }));
    const page = reportMarkdown({ ...emptyReport(), problems });
    expect(page.length).toBeLessThan(5_000);
    expect(page).toContain("## Problems");
  });
});

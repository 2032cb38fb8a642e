import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { opensInBrowsers, savedNameOf } from "../../src/catalogue/saved-names.ts";

function saved(record: object, name?: string, extension = "pdf"): string {
  const original = { blob: "", bytes: 1, type: "", extension, name };
  return savedNameOf({ id: "7f3c", original }, JSON.stringify(record));
}

describe("the name to save a file under", () => {
  it.each([
    ["what the answer calls it", {}, "Annual report 2024.pdf", "Annual report 2024.pdf"],
    ["what the record calls it", { filename: "report.pdf", title: "x" }, undefined, "report.pdf"],
    ["in another spelling", { original_name: "b.pdf", title: "x" }, undefined, "b.pdf"],
    ["its title", { title: "Annual report" }, undefined, "Annual report.pdf"],
    ["its id", { title: " " }, undefined, "7f3c.pdf"],
    ["the answer before the record", { filename: "b.pdf" }, "a.pdf", "a.pdf"],
    ["no id, where it has a title", { title: "Survey" }, "7f3c.pdf", "Survey.pdf"],
    ["letters of any script", {}, "Отчёт – 年報.pdf", "Отчёт – 年報.pdf"],
    ["its extension as it is written", {}, "SCAN.PDF", "SCAN.pdf"],
  ])("is %s", (_, record, name, expected) => {
    expect(saved(record, name)).toBe(expected);
  });

  it.each([
    ["another type", "invoice.exe", "invoice.exe.pdf"],
    ["folders", "C:\\Windows\\a.pdf", "a.pdf"],
    ["folders above", "../../etc/passwd", "passwd.pdf"],
    ["no folder, in a title", undefined, "A B testing.pdf"],
    ["letters that turn the others around", "annual\u202efdp.exe", "annual fdp.exe.pdf"],
    ["what file systems refuse", 'a<b>:c|d?"*.pdf', "a b c d.pdf"],
    ["control characters", "a\r\n\0b.pdf", "a b.pdf"],
    ["dots around it", "...a...", "a.pdf"],
    ["nothing but dots", "..", "A B testing.pdf"],
  ])("hides nothing behind %s", (_, name, expected) => {
    expect(saved({ title: "A/B testing" }, name)).toBe(expected);
  });

  it("keeps the origin's extension where bytes tell no type", () => {
    expect(saved({}, "survey.dwg", "bin")).toBe("survey.dwg");
    expect(saved({}, "survey", "bin")).toBe("survey.bin");
    expect(saved({}, "photo.jpeg", "jpg")).toBe("photo.jpeg");
  });

  it("is a name that every file system takes, whatever the origin writes", () => {
    const text = fc.string({ unit: "binary", maxLength: 300 });
    fc.assert(
      fc.property(text, text, (title, name) => {
        const found = saved({ title, name }, name);
        expect(found).toMatch(/^[^<>:"/\\|?*\p{Cc}\p{Bidi_Control}]{1,85}\.pdf$/u);
        expect(found).not.toMatch(/^[.\s]/);
      }),
    );
  });
});

describe("a file of the archive", () => {
  it.each([
    ["media/ab/1.pdf", true],
    ["media/ab/1.mp4", true],
    ["media/ab/1.docx", false],
    ["media/ab/1.html.txt", false],
    ["media/ab/1.txt", true],
    ["media/ab/1.bin", false],
  ])("%s opens in browsers: %s", (path, opens) => {
    expect(opensInBrowsers(path)).toBe(opens);
  });
});

// An author, with line breaks, markup, formulas and codes of terminals in titles, keys and names of his items.
import { Writable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linesOf, markdownStyle, textStyle } from "../../src/changes/print.ts";
import { annotations } from "../../src/cli/github.ts";
import { createReporter, logFormats } from "../../src/cli/progress.ts";
import { printSummary } from "../../src/cli/summary.ts";
import { csvText } from "../../src/lib/foreign.ts";
import { emptyReport, type Report, reportMarkdown } from "../../src/publish/report.ts";
import { noRemarks } from "../support/remarks.ts";

/**
 * What a terminal obeys, or draws in another order: ECMA-48 controls (C0, DEL, C1), the marks of Unicode's bidirectional
 * algorithm (UAX 9), the separators of lines and paragraphs.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const steering = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

/** One of each, in the middle of a text. */
const codes = [
  ..."\0\x07\b\t\n\v\f\r\x1b\x7f\x85\x90\x9b\x9d",
  ..."\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029",
];
const steeringTexts = codes.map((code) => `a${code}[2J${code}b`);

/** Texts that begin a line of their own, or a construct of Markdown, HTML or of a CI system. */
const forged = [
  "x\n\n# forged heading",
  "x\r\r::error::forged",
  "x\u2028problem: forged",
  "::add-mask::forged",
  "a ##[add-matcher]forged",
  "a ##vso[task.setvariable variable=x]forged",
  "<img src=//forged.example/x onerror=alert(1)>",
  "![forged](https://forged.example/x.png)",
  "[forged](https://forged.example/)",
  "a | b | **forged** | `forged` | ~~forged~~ | _forged_",
  "&lt;b&gt;forged&#10;",
  "> forged",
  "1. forged",
  "- forged",
  "+ forged",
  "https://forged.example/ and www.forged.example",
];

class Screen extends Writable {
  text = "";
  columns = 200;
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}

/** A report that has a foreign text wherever one can come. */
function reportWith(text: string): Report {
  return {
    ...emptyReport("https://a.example"),
    problems: [{ subject: text, reason: text, hint: text }],
    warnings: [{ text, hint: text }],
    remarks: [{ subject: text, reason: text, hint: text }],
    error: { message: text, hint: text },
    next: text,
    outcome: text,
    limits: [{ host: "nginx", text, exceeded: false }],
    proof: [{ list: text, collected: 1, expected: 2, agreed: false, remark: text }] as never,
    changes: {
      summary: text,
      total: 1,
      base: "public",
      items: [
        {
          what: "new",
          kind: "articles",
          id: "1",
          title: text,
          page: "a.html",
          view: null,
          fields: [text],
        },
      ] as never,
    },
    media: {
      ...{ wanted: 1, checked: 0, downloaded: 0, encoded: 0, rechecked: 0 },
      remarks: {
        ...noRemarks,
        count: 1,
        first: [{ subject: text, remark: text }],
      },
    },
  };
}

/** The parts of Markdown that are no plain text: what a backslash stands before is (CommonMark 0.31, section 2.4). */
function unescaped(markdown: string): string {
  return markdown.replace(/\\[!-/:-@[-`{-~]/g, "");
}

describe("report.md and the job summary", () => {
  const linesWith = (text: string): string[] => reportMarkdown(reportWith(text)).split("\n");
  const plain = linesWith("harmless");

  it.each(forged)("%j makes no line, no markup and no HTML", (text) => {
    const lines = linesWith(text);
    // An error may have several lines, which are a quotation.
    const isError = (line: string): boolean => line.startsWith("> ");
    const others = lines.filter((line) => !isError(line));
    const plainOthers = plain.filter((line) => !isError(line));
    expect(others).toHaveLength(plainOthers.length);
    for (const line of lines.filter(isError)) expect(unescaped(line)).not.toMatch(/[<`*|&#]|\]\(/);
    for (const [at, line] of others.entries()) {
      if (!/forged/.test(line)) continue;
      expect(line).not.toMatch(steering);
      // The same markup as around a harmless text.
      const marks = /[<>`*_~|&]|:\/\/|www\.|\]\(|!\[|^(?:- |> )*(?:[-+>#]|\d+[.)]) /g;
      expect(unescaped(line).match(marks) ?? []).toEqual(
        unescaped(plainOthers[at] ?? "")
          .replaceAll(/harmless/g, "")
          .match(marks) ?? [],
      );
    }
  });

  it.each(steeringTexts)("%j does not reach the file", (text) => {
    for (const line of linesWith(text)) expect(line).not.toMatch(steering);
  });

  it("a title of a million characters leaves it within what GitHub takes of a summary, 1 MiB", () => {
    const problems = Array.from({ length: 30 }, (_, n) => ({
      subject: `${n} ${"<".repeat(1_000_000)}`,
      reason: "x",
    }));
    const text = reportMarkdown({ ...reportWith("<".repeat(1_000_000)), problems });
    expect(Buffer.byteLength(text)).toBeLessThan(1 << 20);
  });
});

describe("workflow commands", () => {
  it.each([...forged, ...steeringTexts])("%j stays in its annotation", (text) => {
    const lines = annotations(reportWith(text)).map(String);
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line).toMatch(/^::(?:error|warning) title=stillpress::/);
      expect(line).not.toMatch(steering);
      expect(line).not.toMatch(/##\w*\[/);
    }
    // A line break of ours stands before the hint, and nowhere else but in an error of several lines.
    for (const line of lines.slice(1)) {
      expect(line.match(/%0A/g)).toEqual(["%0A"]);
    }
  });
});

describe("the log", () => {
  function logOf(format: (typeof logFormats)[number], text: string): string {
    const stream = new Screen();
    const reporter = createReporter({ format, quiet: false, color: false, stream });
    const stage = reporter.stage(text, 100);
    reporter.info(text);
    reporter.warn(text, text);
    reporter.problem({ subject: text, reason: text, hint: text });
    stage.end(text);
    reporter.error({ message: text, hint: text });
    reporter.close();
    return stream.text;
  }

  it.each(logFormats)("holds nothing that a terminal obeys (%s)", (format) => {
    for (const text of steeringTexts) {
      const log = logOf(format, text);
      for (const line of log.split("\n")) expect(line).not.toMatch(steering);
    }
  });

  it.each(logFormats)("has no line and no command that a text forged (%s)", (format) => {
    for (const text of forged) {
      const log = logOf(format, text);
      expect(log).not.toMatch(/^\s*::|^(?:problem: forged|# forged)/m);
      expect(log).not.toMatch(/##\w*\[/);
    }
  });

  it.each(logFormats)("has lines of bounded length (%s)", (format) => {
    const lines = logOf(format, "x".repeat(5_000_000)).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(100_000);
  });

  it("gives programs the text itself, up to what no log needs", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const events = logOf("ndjson", text)
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line));
        // A log is UTF-8, which knows no half of a pair.
        expect(events.find(({ event }) => event === "info").text).toBe(text);
      }),
    );
  });
});

describe("what commands print", () => {
  it.each([...forged, ...steeringTexts])("%j is one line of the summary", (text) => {
    const stream = new Screen();
    const report = { ...reportWith(text), snapshot: text, counts: {} };
    printSummary(report, { out: "/x" }, ["crawl", "build"], stream);
    const other = new Screen();
    printSummary(
      { ...reportWith("harmless"), snapshot: "harmless" },
      { out: "/x" },
      ["crawl", "build"],
      other,
    );
    const lines = stream.text.split("\n");
    expect(lines).toHaveLength(other.text.split("\n").length);
    for (const line of lines) expect(line).not.toMatch(steering);
    expect(stream.text).not.toMatch(/##\w*\[/);
  });

  it.each([
    ["a terminal", textStyle(false)],
    ["Markdown", markdownStyle],
  ])(
    "a change is written in the same lines for %s, whatever its title and members are",
    (_, style) => {
      const linesWith = (text: string) =>
        linesOf(
          {
            ...{ kind: "articles", what: "edited", id: "1", title: text, page: "a.html" },
            ...{ view: "https://a.example/1", reason: text },
            fields: [
              { name: text, before: text, after: text },
              {
                name: text,
                words: [
                  { sign: "-", text },
                  { sign: "+", text },
                ],
              },
              { name: text, added: [text], removed: [text], note: text },
            ],
          } as never,
          style,
          "public",
        ).map(String);
      for (const text of [...forged, ...steeringTexts]) {
        const lines = linesWith(text);
        expect(lines).toHaveLength(linesWith("harmless").length);
        for (const line of lines.flatMap((one) => one.split("\n"))) {
          expect(line).not.toMatch(steering);
          expect(line).not.toMatch(/^\s*::|##\w*\[/);
        }
      }
    },
  );
});

describe("tables for spreadsheets", () => {
  /** The cells that a spreadsheet of this separator reads (RFC 4180), as LibreOffice and Excel take it from the system. */
  function cellsOf(csv: string, separator: string): string[] {
    const cells: string[] = [];
    let cell = "";
    let quoted = false;
    for (let at = 0; at < csv.length; at++) {
      const sign = csv[at] as string;
      if (quoted && sign === '"' && csv[at + 1] === '"') {
        cell += '"';
        at++;
      } else if (sign === '"' && (quoted || cell === "")) quoted = !quoted;
      else if (!quoted && (sign === separator || sign === "\r" || sign === "\n")) {
        cells.push(cell);
        cell = "";
      } else cell += sign;
    }
    return [...cells, cell];
  }

  it.each([
    "=1+1",
    "+1",
    "-1",
    "@A1",
    "\t=1",
    "\r=1",
    "\u202e=1",
    "＝1+1",
    "x;=1+1",
    "x; =1",
    'x";=1',
    "x\t=1",
  ])("%j is a formula nowhere, whatever the separator", (text) => {
    const csv = csvText([["one", text, text]]).slice(1);
    for (const separator of [",", ";", "\t"]) {
      for (const cell of cellsOf(csv, separator)) expect(cell).not.toMatch(/^"?\s*[=+\-@＝＋－＠]/);
    }
  });

  it("has a row for each row, without what steers, of bounded length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const lines = csvText([[text, text]]).split("\r\n");
        expect(lines).toHaveLength(2);
        expect(lines[0]).not.toMatch(steering);
      }),
    );
    // More than 32,767 characters are no cell of Excel.
    expect(csvText([["x".repeat(1_000_000)]]).length).toBeLessThan(32_767);
  });
});

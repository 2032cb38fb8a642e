import { describe, expect, it } from "vitest";
import { commandLine, pasteable } from "../../src/cli/failures.ts";
import { annotations } from "../../src/cli/github.ts";
import { emptyReport } from "../../src/publish/report.ts";

describe("pasteable", () => {
  it.each([
    ['run "stillpress repair"', [], 'run "npx stillpress repair"'],
    [
      'run "npx stillpress doctor"',
      ["--out=/a b", "--config", "c.json"],
      "run \"npx stillpress doctor --config c.json --out '/a b'\"",
    ],
    ["a bug in stillpress", ["--out", "x"], "a bug in stillpress"],
  ])("%s with %j → %s", (hint, args, text) => {
    expect(pasteable(hint, args)).toBe(text);
  });

  it("gives the command line with quotes where a shell needs them", () => {
    expect(commandLine(["build", "--out", "it's"])).toBe("npx stillpress build --out 'it'\\''s'");
  });
});

describe("annotations", () => {
  it("are escaped, worst first, and ten at most", () => {
    const warnings = Array.from({ length: 20 }, (_, n) => ({ text: `w ${n}` }));
    const error = { message: "50% of\nall", hint: "wait" };
    const lines = annotations({ ...emptyReport(), error, warnings }).map(String);
    expect(lines).toHaveLength(10);
    expect(lines[0]).toBe("::error title=stillpress::50%25 of%0Aall%0Ahint: wait");
    expect(lines[1]).toBe("::warning title=stillpress::w 0");
  });
});

import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import {
  type CommandReporter,
  createReporter,
  defaultFormat,
  type LogFormat,
  logFormats,
  type Pace,
  type ReporterOptions,
} from "../../src/cli/progress.ts";

/** A stream that keeps what it gets. */
class Screen extends Writable {
  text = "";
  columns = 60;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }

  /** The lines that a terminal shows in the end: what was cleared is gone. */
  get shown(): string[] {
    return this.text
      .split("\n")
      .map((line) => line.slice(line.lastIndexOf("\x1b[2K") + 1).replace(/^\[2K/, ""));
  }
}

interface Clock {
  at: number;
}

/** What requests cost that no rate held back. */
function spent(requests: number, retries = 0, waitedMs = 0): Pace {
  return { requests, retries, waitedMs, pausedMs: 0, pauseMs: 0, msPerRequest: 0 };
}

function reporterOn(
  format: LogFormat,
  options: Partial<ReporterOptions> = {},
): { screen: Screen; reporter: CommandReporter; clock: Clock } {
  const screen = new Screen();
  const clock = { at: Date.parse("2024-05-02T10:00:00Z") };
  const reporter = createReporter({
    format,
    quiet: false,
    color: false,
    stream: screen,
    now: () => clock.at,
    ...options,
  });
  return { screen, reporter, clock };
}

/** A little run: a stage of ten articles, a remark, a warning and a problem. */
function tell(reporter: CommandReporter, clock: Clock): void {
  const stage = reporter.stage("articles", 10);
  clock.at += 2_000;
  stage.advance(4);
  reporter.info("this origin has no index of audio (404)");
  reporter.warn("two pages differ", "run again");
  reporter.problem({ subject: "image 7f3c", reason: "download: 403", hint: "list it again" });
  stage.advance(6);
  stage.end();
  const open = reporter.stage("build");
  open.advance(7);
  clock.at += 90_000;
  open.end("7 files");
  reporter.close();
}

const serious = [
  "two pages differ",
  "hint: run again",
  "image 7f3c: download: 403",
  "hint: list it again",
];

describe("the plain reporter", () => {
  it("writes a line for everything worth reading, and each stage when it ends", () => {
    const { screen, reporter, clock } = reporterOn("plain");
    tell(reporter, clock);
    expect(screen.text.split("\n")).toEqual([
      "this origin has no index of audio (404)",
      "warning: two pages differ",
      "hint: run again",
      "problem: image 7f3c: download: 403",
      "hint: list it again",
      "articles: 10 in 2.0 s",
      "build: 7 files in 1:30",
      "",
    ]);
  });

  it("tells of a long stage every ten seconds, with rate, time left, note and cost", () => {
    const { screen, reporter, clock } = reporterOn("plain", { pace: () => spent(12, 1, 4_000) });
    const stage = reporter.stage("media", 100);
    stage.note("1.4 MB");
    for (let second = 0; second < 25; second++) {
      clock.at += 1_000;
      stage.advance(2);
    }
    expect(screen.text.split("\n")).toEqual([
      "media: 20/100, 2.0/s, 0:40 left, 1.4 MB, 12 requests, 1 repeated, waited 4 s for the rate",
      "media: 40/100, 2.0/s, 0:30 left, 1.4 MB, 12 requests, 1 repeated, waited 4 s for the rate",
      "",
    ]);
  });

  it.each([
    [178, 199, "articles: 199, 20/s"],
    [0, 1, "articles: 1, 0.1/s"],
    [40, 60, "articles: 60, 6.0/s"],
    [199, 199, "articles: 199/199, 20/s"],
  ])("claims no total of %i where there are %i", (total, done, line) => {
    const { screen, reporter, clock } = reporterOn("plain");
    const stage = reporter.stage("articles", total);
    clock.at += 10_000;
    stage.advance(done);
    expect(screen.text.split("\n")[0]).toBe(line);
  });

  it("corrects the total when more is known", () => {
    const { screen, reporter, clock } = reporterOn("plain");
    const stage = reporter.stage("articles");
    clock.at += 10_000;
    stage.advance(50);
    stage.expect(36_050);
    clock.at += 10_000;
    stage.advance(50);
    expect(screen.text.split("\n").slice(0, 2)).toEqual([
      "articles: 50, 5.0/s",
      "articles: 100/36050, 5.0/s, 1:59:50 left",
    ]);
  });
});

describe("the ndjson reporter", () => {
  it("writes one JSON object a line, each with its time and event", () => {
    const { screen, reporter, clock } = reporterOn("ndjson");
    tell(reporter, clock);
    const events = screen.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events).toEqual([
      { time: "2024-05-02T10:00:00.000Z", event: "stage", stage: "articles", total: 10 },
      {
        time: "2024-05-02T10:00:02.000Z",
        event: "progress",
        stage: "articles",
        done: 4,
        total: 10,
      },
      {
        time: "2024-05-02T10:00:02.000Z",
        event: "info",
        text: "this origin has no index of audio (404)",
      },
      {
        time: "2024-05-02T10:00:02.000Z",
        event: "warning",
        text: "two pages differ",
        hint: "run again",
      },
      {
        time: "2024-05-02T10:00:02.000Z",
        event: "problem",
        subject: "image 7f3c",
        reason: "download: 403",
        hint: "list it again",
      },
      { time: "2024-05-02T10:00:02.000Z", event: "end", stage: "articles", done: 10, ms: 2_000 },
      { time: "2024-05-02T10:00:02.000Z", event: "stage", stage: "build" },
      {
        time: "2024-05-02T10:01:32.000Z",
        event: "end",
        stage: "build",
        done: 7,
        ms: 90_000,
        summary: "7 files",
      },
    ]);
  });
});

describe("the pretty reporter", () => {
  it("redraws a live line in place, and leaves only finished lines behind", () => {
    const { screen, reporter, clock } = reporterOn("pretty", { pace: () => spent(3) });
    const stage = reporter.stage("articles", 10);
    clock.at += 2_000;
    stage.advance(3);
    // It is drawn no more than a dozen times a second.
    stage.advance();
    expect(screen.shown.at(-1)).toBe("articles: 3/10, 1.5/s, 0:05 left, 3 requests");
    clock.at += 80;
    stage.note("page 2");
    expect(screen.shown.at(-1)).toBe("articles: 4/10, 1.9/s, 0:03 left, page 2, 3 requests");
    reporter.info("a remark");
    stage.end();
    const media = reporter.stage("media", 5);
    clock.at += 80;
    media.advance();
    expect(screen.shown.at(-1)).toContain("media");
    reporter.close();
    expect(screen.shown).toEqual(["  a remark", "✓ articles: 4 in 2.1 s", ""]);
  });

  it("keeps the live line within the terminal, so that it can be cleared", () => {
    const { screen, reporter, clock } = reporterOn("pretty");
    screen.columns = 40;
    const stage = reporter.stage("articles", 10);
    clock.at += 80;
    stage.note("a note that is much longer than the terminal is wide");
    expect(screen.shown.at(-1)).toMatch(/^articles: 0\/10/);
    expect(screen.shown.at(-1)).toHaveLength(39);
    reporter.close();
  });

  it("draws nothing when it is quiet", () => {
    const { screen, reporter, clock } = reporterOn("pretty", { quiet: true });
    const stage = reporter.stage("articles", 10);
    clock.at += 80;
    stage.advance();
    reporter.close();
    expect(screen.shown).toEqual([""]);
  });

  it("uses colours only where they are wanted", () => {
    const colored = reporterOn("pretty", { color: true });
    tell(colored.reporter, colored.clock);
    expect(colored.screen.text).toContain("\x1b[31m✗\x1b[0m image 7f3c: download: 403");
    const plain = reporterOn("pretty");
    tell(plain.reporter, plain.clock);
    expect(plain.screen.text).not.toMatch(/\p{Cc}\[\d+m/u);
  });
});

describe("every reporter", () => {
  it.each(logFormats)("tells only warnings and problems when it is quiet (%s)", (format) => {
    const { screen, reporter, clock } = reporterOn(format, { quiet: true });
    tell(reporter, clock);
    expect(screen.text).toContain("two pages differ");
    expect(screen.text).toContain("download: 403");
    expect(screen.text).not.toMatch(/articles|build|audio/);
    if (format !== "ndjson") for (const line of serious) expect(screen.text).toContain(line);
  });

  it.each(logFormats)(
    "lets nothing from the origin command the terminal or forge a line (%s)",
    (format) => {
      const { screen, reporter } = reporterOn(format);
      const evil = "a\x1b[2J\x07b\nproblem: forged\r\u009b1A";
      reporter.problem({ subject: evil, reason: evil, hint: evil });
      reporter.warn(evil, evil);
      reporter.info(evil);
      reporter.close();
      expect(screen.text).not.toMatch(/[^\P{Cc}\n]/u);
      expect(screen.text).not.toMatch(/^problem: forged/m);
    },
  );
});

describe("defaultFormat", () => {
  it.each([
    [{ isTTY: true }, {}, "pretty"],
    [{ isTTY: true }, { CI: "true" }, "plain"],
    [{ isTTY: true }, { TERM: "dumb" }, "plain"],
    [{ isTTY: false }, {}, "plain"],
    [{}, {}, "plain"],
  ])("%o in %o → %s", (stream, env, expected) => {
    expect(defaultFormat(stream, env)).toBe(expected);
  });
});

// An author, with codes of terminals, line breaks and commands of CI systems in titles, tags and texts.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { command, type Press, startPress, stillpress } from "../../support/archive.ts";

/** ECMA-48 controls but for the line break, the marks of UAX 9, the separators of lines and paragraphs. */
const steering =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

const evil =
  "T\r\n::error::forged\n##[group]forged ##vso[task.prependpath]/x \x1b]0;forged\x07\x1b[2J\u009b31m \u202eforged\u2066\u2028# forged | <img src=//forged.example> **forged**";

let press: Press;
let isEvil = false;

beforeAll(async () => {
  press = await startPress({
    origin: {
      intercept({ url = "" }, response) {
        if (!isEvil || !/\/tags(?:\?|$)/.test(url)) return false;
        // A tag without a title is a problem that names it.
        const answer = { data: [{ slug: evil }, { slug: `::${evil}`, title: 5 }] };
        response.writeHead(200, { "Content-Type": "application/json" });
        response.end(JSON.stringify(answer));
        return true;
      },
    },
    config: { crawl: { refresh: "all", maxProblems: 10, maxRemoved: { share: 1, items: 999 } } },
  });
  expect((await press.run("snapshot")).code).toBe(0);
  const { articles, images } = press.origin.content;
  isEvil = true;
  const [first, second, third] = [...articles].map(({ id }) => id) as string[];
  articles.edit(first as string, { title: evil, synopsis: evil, body: `<p>${evil}</p>` });
  articles.edit(second as string, { tags: [evil, "::stop-commands::forged"], title: "::forged" });
  articles.remove(third as string);
  const [image] = [...images];
  images.edit(image?.id ?? "", { title: evil, caption: evil, copyright: evil } as never);
}, 120_000);
afterAll(() => press.close());

/** Fails where a text steers a terminal, or has a command of a CI system that is not ours. */
function expectHarmless(text: string): void {
  expect(text).not.toMatch(steering);
  expect(text).not.toMatch(/##\w*\[/);
  // https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs: spaces may stand before it.
  expect(text).not.toMatch(/^\s*::(?!(?:error|warning) title=stillpress::)/m);
}

it("a night prints, logs and reports it as text", async () => {
  const file = (name: string): string => join(press.folder, name);
  for (const name of ["summary", "output"]) writeFileSync(file(name), "");
  const env = {
    STILLPRESS_TOKEN: press.origin.tokens.organisation,
    GITHUB_ACTIONS: "true",
    GITHUB_STEP_SUMMARY: file("summary"),
    GITHUB_OUTPUT: file("output"),
  };
  const args = ["snapshot", "--config", press.configFile, "--allow-incomplete"];
  const { stdout, stderr } = await stillpress(args, { env });
  const report = (name: string): string => readFileSync(join(press.out, name), "utf8");
  expectHarmless(stdout + stderr);
  expectHarmless(report("report.json"));
  expect(report("report.json")).toContain("forged");
  for (const markdown of [report("report.md"), readFileSync(file("summary"), "utf8")]) {
    expectHarmless(markdown);
    expect(markdown).not.toMatch(/^# forged|(?<!\\)<img|(?<!\\)\*\*forged/m);
  }
  const names = readFileSync(file("output"), "utf8").trimEnd().split("\n");
  expect(names.map((line) => line.split("=")[0])).toEqual([
    ...["changed", "complete", "snapshot", "published"],
  ]);
});

it.each([[], ["--markdown"], ["--json"]])("diff prints it as text %j", async (...flags) => {
  const { code, stdout, stderr } = await stillpress(["diff", "--out", press.out, ...flags]);
  expect([code, stderr, stdout]).toEqual([0, "", expect.stringContaining("forged")]);
  expectHarmless(stdout);
});

it("the tables of the desk have a row for each finding and change", () => {
  const text = readFileSync(join(press.out, "review/findings.csv"), "utf8");
  for (const line of text.trimEnd().split("\r\n")) {
    expect(line).not.toMatch(steering);
    expect(line).not.toContain("\n");
  }
});

it.each([[], ["--json"]])("compare prints it as text %j", async (...flags) => {
  const server = spawn(process.execPath, [command, "serve", "--port", "0", "--out", press.out]);
  try {
    const url = await new Promise<string>((resolve) =>
      server.stdout.setEncoding("utf8").once("data", resolve),
    );
    const [last] = [...press.origin.content.articles].slice(-1);
    press.origin.content.articles.edit(last?.id ?? "", { title: evil, tags: [evil] });
    const mirror = new URL("/api/v1", url.trim()).href;
    const args = ["compare", "--config", press.configFile, "--mirror", mirror, "--sample", "300"];
    const { code, stdout, stderr } = await stillpress([...args, ...flags], {
      env: { STILLPRESS_TOKEN: press.origin.tokens.organisation },
    });
    expect([code, stdout]).toEqual([5, expect.stringContaining("forged")]);
    expectHarmless(stdout + stderr);
  } finally {
    server.kill();
  }
});

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { exitCodes, exitMeanings } from "../src/errors.ts";

const root = new URL("..", import.meta.url).pathname;
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
];

describe("the pages", () => {
  it.each(pages)("%s links to files that exist", (page) => {
    const text = readFileSync(join(root, page), "utf8");
    const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = ""]) => target);
    const missing = targets.filter((target) => !existsSync(join(root, dirname(page), target)));
    expect(missing).toEqual([]);
  });

  it("list the exit codes in the words of --help", () => {
    const page = readFileSync(join(root, "docs/exit-codes.md"), "utf8");
    for (const code of Object.values(exitCodes)) {
      expect(page).toContain(`\n| ${code} | ${exitMeanings[code]} | `);
    }
  });

  it("of docs/ are all linked from the README", () => {
    const readme = readFileSync(join(root, "README.md"), "utf8");
    expect(
      pages.filter((page) => page.startsWith("docs/") && !readme.includes(`(${page})`)),
    ).toEqual([]);
  });
});

import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { modulesFrom } from "../../src/publish/host-input.ts";

/** Runs a program that imports the package by its name, as a user's would. */
function run(program: string): string {
  const root = new URL("../..", import.meta.url).pathname;
  const args = ["--input-type=module", "--eval", program];
  return execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }).trim();
}

describe("the package", () => {
  it.each(["stillpress", "stillpress/handler"])("gives the handler as %s", (name) => {
    const program = `
      import { createHandler } from "${name}";
      const files = { open: async () => undefined };
      const handler = createHandler({ files, root: "api" });
      const response = await handler(new Request("https://archive.test/api/articles"));
      console.log(response.status, await response.text());`;
    expect(run(program)).toBe('503 {"message":"Nothing is published."}');
  });

  it("gives the handler without anything that only Node has, for use at the edge", () => {
    const modules = modulesFrom("serve/handler.js");
    expect(modules.map(({ path }) => path)).toContain("routes/table.js");
    const foreign = modules.flatMap(({ content }) =>
      [...content.matchAll(/^import\b[^"]*"([^."][^"]*)"/gm)].map(([, name]) => name),
    );
    expect(new Set(foreign)).toEqual(new Set(["node:crypto"]));
    for (const { content } of modules) expect(content).not.toMatch(/\bBuffer\b|\bprocess\./);
  });
});

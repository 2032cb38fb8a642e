import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stillpress } from "../support/archive.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "stillpress-eject-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const builtIn = (file: string): string => readFileSync(join("templates", file), "utf8");
const eject = (...args: string[]) => stillpress(["eject", ...args], { cwd });

describe("eject", () => {
  it("lists the built-in templates and writes nothing", async () => {
    const { code, stdout } = await eject();
    expect(code).toBe(0);
    const files = stdout.trimEnd().split("\n");
    expect(files).toEqual(expect.arrayContaining(["home.eta", "partials/card.eta", "layout.eta"]));
    expect(files.every((file) => existsSync(join("templates", file)))).toBe(true);
    expect(existsSync(join(cwd, "templates"))).toBe(false);
  });

  it("copies templates and assets into the site's own folder", async () => {
    mkdirSync(join(cwd, "config"));
    const settings = { origin: { baseUrl: "https://example.org" }, site: { templates: "theme" } };
    writeFileSync(join(cwd, "config/stillpress.json"), JSON.stringify(settings));
    const run = await eject("home", "partials/card.eta", "assets/style.css");
    expect(run).toMatchObject({
      code: 0,
      stdout: "wrote theme/home.eta\nwrote theme/partials/card.eta\nwrote theme/assets/style.css\n",
    });
    for (const file of ["home.eta", "partials/card.eta", "assets/style.css"]) {
      expect(readFileSync(join(cwd, "theme", file), "utf8")).toBe(builtIn(file));
    }
  });

  it("replaces nothing unless it is told to", async () => {
    mkdirSync(join(cwd, "templates"));
    writeFileSync(join(cwd, "templates/home.eta"), "mine");
    const refused = await eject("article", "home");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("error: templates/home.eta is there already\nhint: --force");
    expect(readFileSync(join(cwd, "templates/home.eta"), "utf8")).toBe("mine");
    expect(existsSync(join(cwd, "templates/article.eta"))).toBe(false);
    expect(await eject("home", "--force")).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, "templates/home.eta"), "utf8")).toBe(builtIn("home.eta"));
  });

  it.each([
    ["artcle", "did you mean article.eta?"],
    ["../package.json", '"npx stillpress eject" lists them'],
  ])("knows no template %s", async (name, hint) => {
    const run = await eject(name);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(`error: there is no template "${name}"\nhint: ${hint}`);
  });
});

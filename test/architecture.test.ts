import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { walkSorted } from "../src/lib/files.ts";

/** Rank of each part of src/: a file imports from its own folder and from lower ranks only. */
const ranks: Record<string, number> = {
  errors: 0,
  lib: 0,
  config: 1,
  api: 2,
  routes: 2,
  store: 3,
  catalogue: 4,
  changes: 5,
  crawl: 4,
  media: 4,
  hosts: 5,
  mirror: 5,
  site: 5,
  compare: 6,
  probe: 6,
  publish: 6,
  serve: 6,
  demo: 6,
  plan: 7,
  preview: 7,
  review: 7,
  verify: 8,
  cli: 9,
  index: 9,
};

/** What the demo origin may know of stillpress: it is written from the API document alone. */
const demoMayImport = new Set(["demo", "errors", "lib"]);

const source = new URL("../src", import.meta.url).pathname;
const files = [...walkSorted(source)].filter((path) => path.endsWith(".ts"));

function partOf(path: string): string {
  return (path.split("/")[0] as string).replace(/\.ts$/, "");
}

const imports = new Map(
  files.map((path) => {
    const text = readFileSync(join(source, path), "utf8");
    const found = text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g);
    const targets = [...found].map(([, target = ""]) => new URL(target, `file:///${path}`));
    return [path, targets.map(({ pathname }) => pathname.slice(1))] as const;
  }),
);

function importsOf(path: string): readonly string[] {
  return imports.get(path) ?? [];
}

/** The groups of files of which each reaches every other one through imports. */
function circlesOf(paths: readonly string[]): string[] {
  const reached = new Map(paths.map((path) => [path, new Set<string>()]));
  for (const [path, found] of reached) {
    const open = [path];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const target of importsOf(next)) {
        if (found.has(target)) continue;
        found.add(target);
        open.push(target);
      }
    }
  }
  const circles = new Set<string>();
  for (const [path, found] of reached) {
    if (!found.has(path)) continue;
    circles.add(
      paths.filter((other) => found.has(other) && reached.get(other)?.has(path)).join(" "),
    );
  }
  return [...circles].sort();
}

describe("the layers of src/", () => {
  it("are all ranked", () => {
    expect(files.filter((path) => ranks[partOf(path)] === undefined)).toEqual([]);
  });

  it("import downwards only, and never sideways", () => {
    const wrong = files.flatMap((path) =>
      importsOf(path)
        .filter((target) => {
          const [own, other] = [partOf(path), partOf(target)];
          if (own === other) return false;
          const [rank, otherRank] = [ranks[own] as number, ranks[other] as number];
          // Rank 0 and 1 hold single files beside each other, which may build on one another.
          return rank <= 1 ? otherRank > rank : otherRank >= rank;
        })
        .map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("have no circles of imports", () => {
    expect(circlesOf(files)).toEqual([]);
  });

  it("keep the demo origin apart from everything it is used to test", () => {
    const wrong = files
      .filter((path) => partOf(path) === "demo")
      .flatMap((path) => importsOf(path).filter((target) => !demoMayImport.has(partOf(target))));
    expect(wrong).toEqual([]);
  });
});

describe("a file of src/", () => {
  it("has at most 350 lines", () => {
    const lines = (path: string): number =>
      readFileSync(join(source, path), "utf8").split("\n").length - 1;
    const long = files.filter((path) => lines(path) > 350);
    expect(long).toEqual([]);
  });
});

describe("the npm package", () => {
  const root = new URL("..", import.meta.url).pathname;
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const [pack] = JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8" })) as [
    { files: { path: string }[] },
  ];
  const packed = pack.files.map(({ path }) => path);

  it("has all of the program: compiled sources with their types, templates, configuration", () => {
    const compiled = files.flatMap((path) =>
      [".js", ".d.ts"].map((ending) => `dist/${path.replace(/\.ts$/, ending)}`),
    );
    const others = ["templates", "config"].flatMap((folder) =>
      [...walkSorted(join(root, folder))].map((path) => `${folder}/${path}`),
    );
    const words = ["ar", "de", "en"].map((language) => `dist/site/words/${language}.json`);
    const missing = [...compiled, ...words, ...others].filter((path) => !packed.includes(path));
    expect(missing).toEqual([]);
  });

  it("has nothing else but what npm adds and the changelog", () => {
    const program =
      /^(?:dist\/.*\.(?:js|d\.ts)|dist\/site\/words\/\w+\.json|templates\/.*|config\/[\w-]+\.json)$/;
    expect(packed.filter((path) => !program.test(path)).sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "package.json",
    ]);
  });
});

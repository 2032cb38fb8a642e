import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { walkSorted } from "../src/lib/files.ts";

/** Rank of each part of src/: a file imports from its own folder and from lower ranks only. */
const ranks: Record<string, number> = {
  errors: 0,
  lib: 0,
  config: 1,
  api: 2,
  routes: 2,
  targets: 3,
  store: 4,
  catalogue: 5,
  crawl: 5,
  media: 5,
  changes: 6,
  engine: 6,
  hosts: 6,
  mirror: 6,
  site: 6,
  compare: 7,
  probe: 7,
  publish: 7,
  serve: 7,
  demo: 7,
  plan: 8,
  upload: 8,
  pack: 8,
  preview: 8,
  review: 8,
  state: 9,
  verify: 9,
  cli: 10,
  index: 10,
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

/** Functions that are given the parameters of another one, whose number the types hold. */
const fixedParameters = new Set(
  "run planDeployment differ isErrno articleCard render mix urnOf disk.read disk.write".split(" "),
);

/** Calls with a list in the place of arguments, of which a call takes some 100,000. */
function* spreadsIn(node: unknown, text: string): Generator<string> {
  if (typeof node !== "object" || node === null) return;
  const { type, callee, arguments: values } = node as Record<string, unknown>;
  if (type === "CallExpression" || type === "NewExpression") {
    const called = callee as { start: number; end: number };
    const name = text.slice(called.start, called.end);
    const isSpread = (values as { type: string }[]).some((value) => value.type === "SpreadElement");
    if (isSpread && !fixedParameters.has(name)) yield name;
  }
  for (const inner of Object.values(node)) yield* spreadsIn(inner, text);
}

describe("a file of src/", () => {
  it("spreads no list into the arguments of a call", () => {
    const found = files.flatMap((path) => {
      const text = readFileSync(join(source, path), "utf8");
      const program = parseAst(text, { lang: "ts" } as Parameters<typeof parseAst>[1]);
      return [...spreadsIn(program, text)].map((name) => `${path}: ${name}(...)`);
    });
    expect(found).toEqual([]);
  });

  it("has at most 350 lines", () => {
    const lines = (path: string): number =>
      readFileSync(join(source, path), "utf8").split("\n").length - 1;
    const long = files.filter((path) => lines(path) > 350);
    expect(long).toEqual([]);
  });
});

describe("a text from elsewhere", () => {
  const textOf = (path: string): string => readFileSync(join(source, path), "utf8");

  /** Signs of code that writes for a medium, and the only files that may hold them. */
  const rules: [what: string, sign: RegExp, files: RegExp][] = [
    // The reporter gets its stream, and `init` asks its question on stderr.
    [
      "streams of the process",
      /process\.std(?:out|err)(?!\.(?:isTTY|on)\b)|\bconsole\./,
      /^cli\/(?:print|options|probe)\.ts$/,
    ],
    ["what is written to them", /\b(?:stream|output)\.write\(/, /^cli\/(?:print|progress)\.ts$/],
    // An address with a control is refused.
    [
      "controls of terminals",
      /\\x1b|\\u001b|\\x9b|\\p\{Cc\}|Bidi_Control/i,
      /^(?:lib\/foreign|api\/file-address)\.ts$/,
    ],
    ["files of GitHub", /GITHUB_(?:STEP_SUMMARY|OUTPUT):/, /^cli\/github\.ts$/],
    ["workflow commands", /%0A|[`"]::(?:\$|error|warning)/, /^lib\/foreign\.ts$/],
    // References are found with an expression, which is escaped in the same way.
    ["escapes of Markdown", /"\\\\\$&"/, /^(?:lib\/foreign|compare\/references|demo\/.*)\.ts$/],
    ["quotes of CSV", /'""'/, /^lib\/foreign\.ts$/],
    // The finder of tokens looks for them, parsers get the text of a body, and the demo is an origin.
    [
      "escapes of HTML",
      /"&(?:lt|gt|quot);"/,
      /^(?:lib\/(?:foreign|token)|changes\/text|site\/nodes|demo\/.*)\.ts$/,
    ],
  ];

  it.each(rules)("is written in one place: %s", (_, sign, allowed) => {
    const found = files.filter((path) => sign.test(textOf(path)));
    expect(found.filter((path) => !allowed.test(path))).toEqual([]);
    // A rule that finds nothing would forbid nothing.
    expect(found).not.toEqual([]);
  });

  it("stands in no line of Markdown without its tag", () => {
    const untagged = /(?<![\w)])`(?:#+ |[-|>] )[^`]*\$\{/;
    const found = files.filter((path) => untagged.test(textOf(path)));
    // Configurations of hosts have comments that begin like a heading.
    expect(found.filter((path) => partOf(path) !== "hosts")).toEqual([]);
  });

  it("is JSON of `lib/foreign.ts` where it is printed or reported", () => {
    const writers = ["cli/print.ts", "cli/progress.ts", "publish/report.ts"];
    expect(writers.filter((path) => textOf(path).includes("JSON.stringify"))).toEqual([]);
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

  it.each(["docs", "examples"])("has all of %s", (folder) => {
    const pages = [...walkSorted(join(root, folder))].map((path) => `${folder}/${path}`);
    expect(pages.filter((path) => !packed.includes(path))).toEqual([]);
  });

  it("has nothing else but what npm adds and the changelog", () => {
    const program =
      /^(?:dist\/.*\.(?:js|d\.ts)|dist\/site\/words\/\w+\.json|(?:templates|docs|examples)\/.*|config\/[\w-]+\.json)$/;
    expect(packed.filter((path) => !program.test(path)).sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "package.json",
    ]);
  });
});

import {
  copyFileSync,
  lstatSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { extname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { walkSorted } from "../../src/lib/files.ts";
import { verifyArchive } from "../../src/verify/verify.ts";
import { type Press, startPress, stillpress } from "../support/archive.ts";
import { fileIn, flipBit, shownBuild } from "./support.ts";

let press: Press;
beforeAll(async () => {
  press = await startPress({
    pressed: true,
    size: { articles: 8, galleries: 2, images: 6 },
    // Every kind of file that there is by default.
    config: { media: {} },
  });
  const [first] = press.origin.content.articles;
  press.origin.content.articles.edit(first?.id as string, { title: "Another title" });
  expect((await press.run("snapshot")).code).toBe(0);
});
afterAll(() => press.close());

/** Kinds of files that are checked in different ways. */
function kindOf(path: string): string {
  if (path.startsWith("store/blobs/")) return "blobs";
  if (path.startsWith("store/snapshots/2")) return "store/snapshots/….json";
  return path.replace(/^builds\/[^/]+\//, "build/").replace(/\/.*(\.\w+)$/, `/…${extname(path)}`);
}

/** A file of each kind, of all that is archive content. */
function oneOfEach(): string[] {
  const found = new Map<string, string>();
  for (const path of walkSorted(press.out)) {
    const isContent = /^(?:store|builds)\//.test(path) && !/rate\.json|answers\//.test(path);
    if (isContent && lstatSync(join(press.out, path)).size > 0) found.set(kindOf(path), path);
  }
  return [...found.values()];
}

describe("a whole archive", () => {
  it("has no findings, and everything was looked at", async () => {
    const { findings, checked } = await verifyArchive({ out: press.out, full: true });
    expect(findings).toEqual([]);
    expect(checked.builds).toBe(2);
    expect(checked.snapshots).toBe(2);
    expect(checked.refs).toBeGreaterThan(50);
    expect(checked.blobs).toBeGreaterThan(80);
    expect(checked.files).toBeGreaterThan(500);
    expect(checked.references).toBeGreaterThan(3000);
  });

  it("is told by the command, which then exits with 0", async () => {
    for (const mode of ["--quick", "--full"]) {
      const { code, stdout } = await press.run("verify", mode);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, findings: [] });
    }
    expect((await press.run("verify", "--quick", "--full")).code).toBe(2);
  });

  it("is not changed by being looked at", async () => {
    const times = (): string[] =>
      [...walkSorted(press.out)].map(
        (path) => `${path} ${lstatSync(join(press.out, path)).mtimeMs}`,
      );
    const before = times();
    await verifyArchive({ out: press.out, full: true });
    expect(times()).toEqual(before);
  });
});

it("finds a flipped bit in a file of every kind, wherever it lies", {
  timeout: 180_000,
}, async () => {
  const kinds = oneOfEach();
  expect(kinds.length).toBeGreaterThanOrEqual(17);
  const missed: string[] = [];
  for (const [n, path] of [...kinds, ...kinds, ...kinds].entries()) {
    const file = join(press.out, path);
    const { size } = lstatSync(file);
    const at = (n * 7919) % size;
    const undo = flipBit(file, at, n % 8);
    const { findings } = await verifyArchive({ out: press.out, full: true });
    if (findings.length === 0) missed.push(`${path} at ${at} of ${size}`);
    undo();
  }
  expect(missed).toEqual([]);
});

describe("without reading anything, it is found that", () => {
  const root = (): string => join(press.out, "public");

  /** Does harm, returns the findings, and undoes it. */
  async function findingsAfter(harm: (out: string) => () => void): Promise<string[]> {
    const undo = harm(press.out);
    try {
      const { findings } = await verifyArchive({ out: press.out });
      return findings.map(({ path, reason }) => `${path}: ${reason}`);
    } finally {
      undo();
    }
  }

  /** Moves a file away; returns what brings it back. */
  function without(path: string): () => void {
    renameSync(path, join(press.folder, "away"));
    return () => renameSync(join(press.folder, "away"), path);
  }

  it.each<[string, (out: string) => () => void, RegExp]>([
    [
      "a page is missing",
      () => without(join(root(), "index.html")),
      /public\/index\.html: is missing$/,
    ],
    [
      "a page is cut short",
      () => {
        const back = without(join(root(), "404.html"));
        writeFileSync(join(root(), "404.html"), "half");
        return back;
      },
      /404\.html: has 4 bytes, its manifest says \d+$/,
    ],
    [
      "a file is too many",
      () => {
        writeFileSync(join(root(), "extra.html"), "");
        return () => rmSync(join(root(), "extra.html"));
      },
      /public\/extra\.html: is in no manifest$/,
    ],
    [
      "a host's file is missing",
      (out) => without(join(out, "deploy", "urlmap.json")),
      /deploy\/urlmap\.json: is missing$/,
    ],
    ["the record is missing", (out) => without(join(shownBuild(out), "build.json")), /build\.json/],
    [
      "deploy leads elsewhere",
      (out) => {
        const back = without(join(out, "deploy"));
        symlinkSync("builds", join(out, "deploy"));
        return back;
      },
      /^deploy: does not lead to the published build$/,
    ],
    ["nothing is published", (out) => without(join(out, "public")), /^public: leads to no build$/],
    [
      "a blob is missing",
      (out) => without(join(out, "store/blobs", originalIn(out))),
      /^store\/blobs\/.*: is missing or not of \d+ bytes, for images\//,
    ],
    [
      "the head is damaged",
      (out) => {
        const path = join(out, "store/snapshots/latest.json");
        copyFileSync(path, join(press.folder, "away"));
        truncateSync(path, 20);
        return () => renameSync(join(press.folder, "away"), path);
      },
      /latest\.json is damaged$/,
    ],
    [
      "a list of the snapshot is missing",
      (out) => without(join(out, "store/snapshots/parts")),
      /articles: part \w+ is lost$/,
    ],
    [
      "objects are missing",
      (out) => without(join(out, "store/objects")),
      /articles: object \w+ of [\w-]+ is lost$/,
    ],
  ])("%s", async (_, harm, expected) => {
    const findings = await findingsAfter(harm);
    expect(findings).toContainEqual(expect.stringMatching(expected));
    expect((await verifyArchive({ out: press.out })).findings).toEqual([]);
  });

  it("is printed a line each, with exit code 5 and what to do", async () => {
    const back = without(join(root(), "index.html"));
    const { code, stdout, stderr } = await stillpress(["verify", "--out", press.out]);
    back();
    expect(code).toBe(5);
    expect(stdout).toMatch(/^builds\/\w+\/public\/index\.html: is missing$/m);
    expect(stderr).toContain(`hint: run "npx stillpress repair --out ${press.out}"`);
  });
});

function originalIn(out: string): string {
  const page = fileIn(join(out, "public"), (path) => /images\/by\/download\/.*\.\w+$/.test(path));
  const { ino } = lstatSync(join(out, "public", page));
  const blobs = join(out, "store/blobs");
  return fileIn(blobs, (path) => lstatSync(join(blobs, path)).ino === ino);
}

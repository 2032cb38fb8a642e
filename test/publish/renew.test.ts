import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../src/lib/digest.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { ids } from "../mirror/fixture.ts";
import { type Publishing, startPublishing } from "./support.ts";

const page = "articles/article-1.html";
const edited = `api/v1/articles/${ids.articles[0]}.json`;
let archive: Publishing;

beforeEach(() => {
  archive = startPublishing();
});
afterEach(() => archive.close());

const root = (): string => realpathSync(join(archive.out, "public"));
const at = (second: number) => ({ now: () => new Date(1_900_000_000_000 + second * 1_000) });
const buildNames = (): string[] => readdirSync(join(archive.out, "builds")).sort();

/** Digests of published files by path. */
function treeOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    [...walkSorted(folder)].map((path) => [path, sha256(readFileSync(join(folder, path)))]),
  );
}

/** What a first build of the same store publishes. */
async function treeAnew(): Promise<Record<string, string>> {
  const out = join(archive.out, "anew");
  mkdirSync(out);
  try {
    await archive.build({}, { out });
    return treeOf(join(out, "public"));
  } finally {
    rmSync(out, { recursive: true });
  }
}

/** Builds, each of another title, with one kept beside the published one. */
async function publish(...titles: string[]): Promise<void> {
  for (const [n, title] of titles.entries()) {
    archive.edit(title);
    await archive.build({ keepBuilds: 1 }, at(n));
  }
}

/** Folder of the build that is kept beside the published one. */
function spare(): string {
  const [name = ""] = buildNames().filter((one) => one !== archive.shown());
  return join(archive.out, "builds", name, "public");
}

describe("a build out of the tree of one that is kept no longer", () => {
  it("is what a first build would be, night after night", async () => {
    await publish("One", "Two");
    const nights: [string, string | undefined, Record<string, unknown>][] = [
      ["Three", undefined, {}],
      ["Two", undefined, {}],
      ["Four", "<p>Other words</p>", { site: { exclude: { slugs: ["article-1"] } } }],
      ["Four", "<p>Other words</p>", {}],
      ["Five", undefined, { site: { language: "de" } }],
      ["Six", undefined, {}],
    ];
    for (const [n, [title, html, sections]] of nights.entries()) {
      const tree = lstatSync(spare()).ino;
      archive.edit(title, html);
      const { published } = await archive.build({ keepBuilds: 1, ...sections }, at(10 + n));
      expect([published, lstatSync(root()).ino, buildNames().length]).toEqual([true, tree, 2]);
      if (Object.keys(sections).length === 0) expect(treeOf(root())).toEqual(await treeAnew());
    }
  });

  it("shares every file that is as before with the last one, and moves the times of the others", async () => {
    await publish("One", "Two");
    const before = join(root());
    await publish("Three");
    const after = treeOf(root());
    for (const [path, digest] of Object.entries(treeOf(before))) {
      const [old, now] = [before, root()].map((folder) => statSync(join(folder, path)));
      if (after[path] === digest) expect([path, now?.ino]).toEqual([path, old?.ino]);
      else expect(now?.mtimeMs, path).toBeGreaterThan(old?.mtimeMs ?? 0);
    }
    expect(after[edited]).not.toBe(treeOf(before)[edited]);
  });

  it.each<[string, (folder: string) => void]>([
    ["a file too many", (folder) => writeFileSync(join(folder, "articles/other.html"), "x")],
    [
      "a folder too many",
      (folder) => {
        mkdirSync(join(folder, "more/below"), { recursive: true });
        writeFileSync(join(folder, "more/below/other.html"), "x");
      },
    ],
    ["no tree", (folder) => rmSync(folder, { recursive: true })],
    [
      "a link in the place of the tree",
      (folder) => {
        rmSync(folder, { recursive: true });
        symlinkSync(join(archive.out, "elsewhere"), folder);
      },
    ],
    ["a missing file", (folder) => rmSync(join(folder, page))],
    ["a missing folder", (folder) => rmSync(join(folder, "articles"), { recursive: true })],
    [
      "other bytes",
      (folder) => {
        const { length } = readFileSync(join(folder, page));
        rmSync(join(folder, page));
        writeFileSync(join(folder, page), "x".repeat(length));
      },
    ],
    [
      "a folder in the place of a file",
      (folder) => {
        rmSync(join(folder, page));
        mkdirSync(join(folder, page));
        writeFileSync(join(folder, page, "x"), "x");
      },
    ],
    [
      "a file in the place of a folder",
      (folder) => {
        rmSync(join(folder, "articles"), { recursive: true });
        writeFileSync(join(folder, "articles"), "x");
      },
    ],
    [
      "a link that leads elsewhere",
      (folder) => {
        rmSync(join(folder, "articles"), { recursive: true });
        symlinkSync(join(archive.out, "elsewhere"), join(folder, "articles"));
      },
    ],
  ])("takes no damage over: %s", async (_, damage) => {
    const elsewhere = join(archive.out, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "own"), "");
    await publish("One", "Two");
    damage(spare());
    await publish("Three");
    expect(treeOf(root())).toEqual(await treeAnew());
    expect(readdirSync(elsewhere)).toEqual(["own"]);
  });

  it("keeps what is prepared of the latest snapshot, and no more", async () => {
    const prepared = () => readdirSync(join(archive.fixture.store.folder, "prepared")).sort();
    await publish("One");
    const before = prepared();
    await publish("Two");
    const after = prepared();
    expect(after).toHaveLength(before.length);
    const gone = before.filter((name) => !after.includes(name));
    expect(gone.length).toBeGreaterThan(0);
    expect(gone.length).toBeLessThan(before.length / 2);
  });

  it("leaves that build alone where it is refused", async () => {
    await publish("One", "Two");
    const [names, tree] = [buildNames(), treeOf(spare())];
    archive.edit("The token is tok-0123456789abcdef");
    await expect(
      archive.build({ keepBuilds: 1 }, { secrets: ["tok-0123456789abcdef"] }),
    ).rejects.toThrow(/token|secret/);
    expect([buildNames(), treeOf(spare())]).toEqual([names, tree]);
  });

  it("takes none where as many are kept as there are", async () => {
    await publish("One", "Two");
    archive.edit("Three");
    await archive.build({ keepBuilds: 2 });
    expect(buildNames()).toHaveLength(3);
    expect(treeOf(root())).toEqual(await treeAnew());
  });
});

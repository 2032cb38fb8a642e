import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Image, MediaFile } from "../../src/demo/model.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { type Press, startPress, stillpress } from "../support/archive.ts";
import { flipBit, publishedTree } from "../verify/support.ts";

let press: Press;
let target: string;
beforeAll(async () => {
  press = await startPress({ size: { articles: 6, galleries: 1, images: 8 }, pressed: true });
  target = join(press.folder, "target");
});
afterAll(() => press.close());

const root = (): string => join(press.out, "public");
const shown = (): string => readlinkSync(root()).split("/").at(-2) as string;
const times = (folder = root()): Record<string, number> =>
  Object.fromEntries(
    [...walkSorted(folder)].map((path) => [path, statSync(join(folder, path)).mtimeMs]),
  );

/** Leaves what a CI cache keeps. */
function keepStoreOnly(): void {
  for (const name of ["public", "deploy", "builds", "report.json", "report.md"]) {
    rmSync(join(press.out, name), { recursive: true, force: true });
  }
}

/** Leaves what a copy without symbolic links has. */
function loseLinks(): void {
  for (const name of ["public", "deploy"]) rmSync(join(press.out, name), { force: true });
}

/** Gives an article a title, or another one of the same length. */
const edit = (title: string): void => {
  const [first] = press.origin.content.articles;
  press.origin.content.articles.edit(first?.id as string, { title });
};

async function run(name: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await press.run(name, ...args);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout);
}

describe("an archive of which only the store was kept", () => {
  it("is published again with the same files and times, and can be rolled back", async () => {
    const first = publishedTree(press.out);
    edit("One title");
    await run("snapshot");
    const [second, before] = [publishedTree(press.out), times()];
    keepStoreOnly();
    expect(await run("snapshot")).toMatchObject({ published: false, changes: {} });
    expect(publishedTree(press.out)).toEqual(second);
    expect(times()).toEqual(before);
    const { builds } = (await run("rollback", "--list")) as { builds: { name: string }[] };
    await run("rollback");
    expect(publishedTree(press.out)).toEqual(first);
    expect(shown()).toBe(builds[1]?.name);
    expect((await press.run("verify", "--full")).code).toBe(0);
    // And without any build to begin with.
    await run("rollback", builds[0]?.name as string);
    keepStoreOnly();
    await run("rollback");
    expect(publishedTree(press.out)).toEqual(first);
    keepStoreOnly();
    await run("build");
    expect(publishedTree(press.out)).toEqual(second);
  });

  it("is rolled back to the originals of then, with their sizes, renditions and names", async () => {
    const { images, videos } = press.origin.content;
    const [image, other, third] = images as Iterable<Image> as [Image, Image, Image];
    const [video] = videos as Iterable<MediaFile> as [MediaFile];
    const original = ({ read, filesize, mime, width, height }: Image) =>
      ({ read, filesize, mime, width, height }) as const;
    const longer = Buffer.concat([Buffer.from(await video.read()), Buffer.alloc(8)]);
    const edits = [
      () => images.edit(image.id, original(other)),
      () => videos.edit(video.id, { read: async () => longer, filesize: longer.length }),
      // Its record stays the same, and nothing but the file tells.
      () => images.edit(image.id, { read: third.read }),
      () => images.edit(image.id, original(third)),
    ];
    const settings = readFileSync(press.configFile, "utf8");
    writeFileSync(press.configFile, JSON.stringify({ ...JSON.parse(settings), keepBuilds: 9 }));
    const builds: [string, ReturnType<typeof publishedTree>][] = [];
    for (const edit of edits) {
      builds.push([shown(), publishedTree(press.out)]);
      edit();
      await run("snapshot", "--refresh", "all");
    }
    const last = publishedTree(press.out);
    for (const [name, tree] of builds.reverse()) {
      expect(tree).not.toEqual(last);
      keepStoreOnly();
      await run("rollback", name);
      expect(publishedTree(press.out)).toEqual(tree);
    }
    writeFileSync(press.configFile, settings);
    keepStoreOnly();
    await run("build");
    expect(publishedTree(press.out)).toEqual(last);
  });

  /** What a command tells the steps of CI behind it. */
  async function said(command: string): Promise<string[]> {
    const output = join(press.folder, "github-output");
    writeFileSync(output, "");
    const env = { STILLPRESS_TOKEN: press.origin.tokens.organisation, GITHUB_OUTPUT: output };
    await stillpress([command, "--config", press.configFile, "--quiet"], { env });
    const lines = readFileSync(output, "utf8").split("\n");
    return lines.filter((line) => /^(?:ch|pu)/.test(line));
  }

  it.each<[string, string, () => unknown]>([
    ["snapshot", "of the store alone", keepStoreOnly],
    ["snapshot", "of a whole archive", () => {}],
    ["build", "of the store alone", keepStoreOnly],
    ["snapshot", "of an archive that lost its links", loseLinks],
    ["build", "of an archive that lost its links", loseLinks],
  ])("says that nothing is published where nothing changed: %s %s", async (command, _, prepare) => {
    prepare();
    expect(await said(command)).toEqual(["changed=false", "published=false"]);
  });

  it.each<[string, () => unknown]>([
    [
      "of a store that forgot what was published",
      () => {
        keepStoreOnly();
        rmSync(join(press.out, "store/published"), { recursive: true });
      },
    ],
    [
      "of the store alone, with a new title",
      () => {
        keepStoreOnly();
        edit("A third title");
      },
    ],
    ["with a new title", () => edit("A fourth title")],
  ])("says that a snapshot is published %s", async (_, prepare) => {
    prepare();
    expect(await said("snapshot")).toEqual(["changed=true", "published=true"]);
  });

  it("is not rolled back to what other settings made", async () => {
    keepStoreOnly();
    await run("build");
    const before = shown();
    const settings = readFileSync(press.configFile, "utf8");
    const site = { title: "Another archive" };
    writeFileSync(press.configFile, JSON.stringify({ ...JSON.parse(settings), site }));
    const { code, stderr } = await press.run("rollback");
    writeFileSync(press.configFile, settings);
    expect([code, stderr]).toEqual([10, expect.stringMatching(/files differ, such as /)]);
    expect(shown()).toBe(before);
    await run("rollback");
    expect(shown()).not.toBe(before);
    await run("build");
  });

  it("is verified and repaired as far as the store remembers it", async () => {
    const folder = join(press.out, "store", "published");
    await run("build");
    for (const name of readdirSync(folder)) flipBit(join(folder, name));
    const damaged = readdirSync(folder).map((name) =>
      expect.objectContaining({ path: `store/published/${name}` }),
    );
    const { code, stdout } = await press.run("verify", "--full");
    expect([code, JSON.parse(stdout).findings]).toEqual([5, expect.arrayContaining(damaged)]);
    expect((await press.run("repair")).code).toBe(0);
    expect((await press.run("verify", "--full")).code).toBe(0);
    expect(readdirSync(folder)).toContain(`${shown()}-files.ndjson`);
  });
});

describe("a copy that rsync keeps", () => {
  /** Paths that rsync sends, by size and time. */
  function send(): string[] {
    const args = ["-a", "--delete", "--out-format=%i %n", `${root()}/`, `${target}/`];
    const lines = execFileSync("rsync", args, { encoding: "utf8" }).split("\n");
    return lines
      .filter((line) => /^[<>]f/.test(line))
      .map((line) => line.slice(12))
      .sort();
  }

  /** Paths of files that differ from the copy. */
  function different(): string[] {
    const args = ["-anc", "--out-format=%i %n", `${root()}/`, `${target}/`];
    const lines = execFileSync("rsync", args, { encoding: "utf8" }).split("\n");
    return lines
      .filter((line) => /^[<>]fc/.test(line) || /^[<>]f\+/.test(line))
      .map((line) => line.slice(12))
      .sort();
  }

  it("gets what changed and nothing else, there and back", async (context) => {
    if (spawnSync("rsync", ["--version"]).status !== 0) context.skip();
    send();
    const step = async (work: () => Promise<unknown>): Promise<string[]> => {
      await work();
      const [wanted, before] = [different(), times(target)];
      const sent = send();
      const after = times(target);
      // What aws s3 sync goes by.
      const earlier = sent.filter((path) => (after[path] ?? 0) <= (before[path] ?? 0));
      expect(earlier).toEqual([]);
      expect(sent).toEqual(wanted);
      expect(different()).toEqual([]);
      return sent;
    };
    const change = (title: string) => async () => {
      edit(title);
      await run("snapshot");
    };
    const sent = await step(change("Two title"));
    expect(sent.length).toBeGreaterThan(0);
    const later = shown();
    await step(change("Six title"));
    expect(await step(() => run("rollback"))).not.toEqual([]);
    expect(shown()).toBe(later);
    expect(await step(() => run("build"))).not.toEqual([]);
    await step(() => run("rollback"));
    keepStoreOnly();
    await step(() => run("build"));
    keepStoreOnly();
    expect(await step(() => run("rollback"))).not.toEqual([]);
    await step(() => run("build"));
    await step(change("Two title"));
  }, 240_000);
});

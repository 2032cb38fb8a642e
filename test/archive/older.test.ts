import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Image } from "../../src/demo/model.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { type Press, startPress } from "../support/archive.ts";
import { publishedTree } from "../verify/support.ts";

let press: Press;
let images: Image[];
/** What was published after each night. */
const nights: ReturnType<typeof publishedTree>[] = [];
beforeAll(async () => {
  press = await startPress({ size: { articles: 6, galleries: 1, images: 8 }, pressed: true });
  const { content } = press.origin;
  images = [...content.images].filter((one) => !one.private && one.width > 0);
  const [image, other] = images as [Image, Image];
  const { read, filesize, mime, width, height } = other;
  nights.push(publishedTree(press.out));
  content.images.edit(image.id, { read, filesize, mime, width, height });
  await run("snapshot");
  nights.push(publishedTree(press.out));
  const [article] = content.articles;
  content.articles.edit(article?.id as string, { title: "The third night" });
  await run("snapshot");
  nights.push(publishedTree(press.out));
});
afterAll(() => press.close());

async function run(name: string, ...args: string[]) {
  const { code, stdout, stderr } = await press.run(name, ...args);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout);
}

const idsOf = async (): Promise<string[]> =>
  (await run("snapshots")).snapshots.map(({ id }: { id: string }) => id);
const to = (name: string): string => join(press.folder, name);
/** Paths of files that hold a text or are called so. */
const naming = (folder: string, text: string): string[] =>
  [...walkSorted(join(folder, "public"))].filter(
    (path) => path.includes(text) || readFileSync(join(folder, "public", path)).includes(text),
  );

describe("stillpress snapshots", () => {
  it("lists them with date, counts, whether they are whole, and which one is published", async () => {
    const { snapshots } = await run("snapshots");
    expect(snapshots).toHaveLength(3);
    const [newest, second] = snapshots;
    expect(newest).toMatchObject({ complete: true, counts: { articles: 6, galleries: 1 } });
    expect(newest.builds).toEqual([{ name: expect.any(String), state: "published" }]);
    expect(second.builds).toEqual([{ name: expect.any(String), state: "kept" }]);
    expect(Date.parse(newest.time)).toBeGreaterThanOrEqual(Date.parse(second.time));
  });

  it("asks for a snapshot where there is none", async () => {
    const { code, stderr } = await press.run("snapshots", "--out", to("none"));
    expect([code, stderr]).toEqual([2, expect.stringContaining("there is no snapshot yet")]);
  });
});

describe("stillpress build --snapshot ID --to DIR", () => {
  it("renders an older snapshot as it was published, with its originals, and changes nothing else", async () => {
    const ids = (await idsOf()).reverse();
    for (const [night, id] of ids.entries()) {
      const built = await run("build", "--snapshot", id, "--to", to(id));
      expect(built).toMatchObject({ snapshot: id, complete: true });
      expect(publishedTree(to(id))).toEqual(nights[night]);
    }
    expect(publishedTree(press.out)).toEqual(nights[2]);
    expect((await press.run("verify", "--full")).code).toBe(0);
    expect((await run("build", "--snapshot", "latest~1", "--to", to("again"))).snapshot).toBe(
      ids[1],
    );
    expect((await run("snapshot")).published).toBe(false);
  });

  it("has old originals after a prune, as long as the snapshot is kept", async () => {
    const settings = readFileSync(press.configFile, "utf8");
    writeFileSync(press.configFile, JSON.stringify({ ...JSON.parse(settings), keepBuilds: 0 }));
    const { freed } = await run("prune");
    writeFileSync(press.configFile, settings);
    expect(freed).toContainEqual(expect.objectContaining({ what: "builds", count: 2 }));
    const [oldest = ""] = (await idsOf()).reverse();
    await run("build", "--snapshot", oldest, "--to", to("pruned"));
    expect(publishedTree(to("pruned"))).toEqual(nights[0]);
  });

  it("keeps hidden what is hidden now: private, taken down, and private in the meantime", async () => {
    const [oldest = ""] = (await idsOf()).reverse();
    const { articles, images: list } = press.origin.content;
    const [image] = images.slice(4);
    const [, article] = articles;
    expect(naming(press.out, image?.id as string)).not.toEqual([]);
    list.edit(image?.id as string, { private: true });
    await run("snapshot");
    const settings = JSON.parse(readFileSync(press.configFile, "utf8"));
    const site = { exclude: { ids: [article?.id] } };
    writeFileSync(press.configFile, JSON.stringify({ ...settings, site }));
    await run("build", "--snapshot", oldest, "--to", to("hidden"));
    writeFileSync(press.configFile, JSON.stringify(settings));
    expect(naming(to("hidden"), image?.id as string)).toEqual([]);
    expect(naming(to("hidden"), article?.id as string)).toEqual([]);
  });

  it.each([
    [["--snapshot", "latest"], "belong together"],
    [["--to", "x"], "belong together"],
    [["--snapshot", "1999", "--to", "x"], "there is no snapshot 1999"],
    [["--snapshot", "latest", "--to", "."], "an archive with a store is there"],
    [["--snapshot", "latest", "--to", "./public/old"], "an archive with a store is there"],
  ])("refuses %j", async (args, message) => {
    const place = args.map((arg) => arg.replace(/^\./, press.out));
    const { code, stderr } = await press.run("build", ...place);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

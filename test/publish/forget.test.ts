import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Config } from "../../src/config.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { type Press, startPress } from "../support/archive.ts";
import { publishedTree } from "../verify/support.ts";

/** Words that nothing else has. */
const secret = "Quagmarine";

let press: Press;
let settings: Record<string, unknown>;
/** Of what is taken down. */
const ids: string[] = [];

beforeAll(async () => {
  press = await startPress({ size: { articles: 9, galleries: 2, images: 12 }, pressed: true });
  settings = JSON.parse(readFileSync(press.configFile, "utf8"));
  const { articles, images, videos } = press.origin.content;
  const [article] = articles;
  const [image] = [...images].filter((one) => !one.private);
  const [video] = videos;
  ids.push(...[article, image, video].map((one) => one?.id as string));
  const holder = articles.at(1)?.id as string;
  articles.edit(holder, { images: [image?.id as string, ...(articles.at(1)?.images ?? [])] });
  articles.edit(article?.id as string, { title: `${secret} 1`, body: `<p>${secret} 2</p>` });
  images.edit(image?.id as string, { title: `${secret} 3` });
  videos.edit(video?.id as string, { title: `${secret} 4` });
  await run(0, "snapshot");
  articles.edit(article?.id as string, { title: `${secret} 5` });
  await run(0, "snapshot");
});
afterAll(() => press.close());

async function run(code: number, name: string, ...args: string[]) {
  const done = await press.run(name, ...args);
  expect([done.code, done.stderr]).toEqual([code, expect.any(String)]);
  return code === 0 ? JSON.parse(done.stdout) : done.stderr;
}

function exclude(exclude: Partial<Config["site"]["exclude"]>): void {
  writeFileSync(press.configFile, JSON.stringify({ ...settings, site: { exclude } }));
}

/** Files that hold a word of what is taken down; the report is the operator's, and others may have linked to its ids. */
function traces(): string[] {
  return [...walkSorted(press.out)].filter((path) => {
    if (/^(?:report|review)/.test(path) || lstatSync(join(press.out, path)).isSymbolicLink())
      return false;
    const text = readFileSync(join(press.out, path)).toString("latin1");
    return text.includes(secret);
  });
}

/** Public files that name an id. */
const naming = (id: string): string[] =>
  Object.keys(publishedTree(press.out)).filter((path) =>
    readFileSync(join(press.out, "public", path)).includes(id),
  );

describe("stillpress prune --excluded", () => {
  it("asks for something to forget", async () => {
    expect(await run(2, "prune", "--excluded")).toContain("site.exclude names nothing");
  });

  it("is refused while the published build shows it", async () => {
    exclude({ ids });
    expect(await run(10, "prune", "--excluded")).toContain("may not be shown any more");
  });

  it("takes it out of all snapshots with its files, and leaves the rest as it was", async () => {
    await run(0, "build");
    const [tree, before] = [publishedTree(press.out), traces()];
    expect(before).not.toEqual([]);
    const foretold = await run(0, "prune", "--excluded", "--dry-run");
    expect(traces()).toEqual(before);
    const done = await run(0, "prune", "--excluded");
    expect(done.forgotten).toEqual(foretold.forgotten);
    expect(done.forgotten.map((name: string) => name.split("/")[1]).sort()).toEqual(ids.toSorted());

    expect(traces()).toEqual([]);
    expect(publishedTree(press.out)).toEqual(tree);
    expect((await press.run("verify", "--full")).stdout).toContain('"findings":[]');
    await run(0, "build");
    expect(Object.keys(publishedTree(press.out))).toEqual(Object.keys(tree));
    for (const id of ids) expect(naming(id)).toEqual([]);
    const { snapshots } = await run(0, "snapshots");
    expect(snapshots).toHaveLength(3);
    for (const { counts } of snapshots) expect(counts.articles).toBe(8);
  });

  it("is followed by a whole night, also where the origin still has it", async () => {
    const paths = Object.keys(publishedTree(press.out));
    expect(await run(0, "snapshot")).toMatchObject({ complete: true });
    // It is in the store again, and nowhere else.
    expect(Object.keys(publishedTree(press.out))).toEqual(paths);
    expect(traces().every((path) => path.startsWith("store/"))).toBe(true);
    await run(0, "prune", "--excluded");
    const { articles, images, videos } = press.origin.content;
    const [article = "", image = "", video = ""] = ids;
    articles.remove(article);
    images.remove(image);
    videos.remove(video);
    expect(await run(0, "snapshot")).toMatchObject({ complete: true });
    exclude({});
    await run(0, "build");
    expect(traces()).toEqual([]);
  });
});

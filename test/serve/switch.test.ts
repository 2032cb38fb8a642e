import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ArchiveFiles, createHandler } from "../../src/index.ts";
import { openFolder } from "../../src/serve/folder.ts";
import { article, type Fixture, ids, makeConfig, makeFixture } from "../mirror/fixture.ts";

const builds = ["old", "new"] as const;
let fixture: Fixture;
let folder: string;
let published: (typeof builds)[number];

function publish(build: (typeof builds)[number]): void {
  published = build;
  symlinkSync(join("builds", build, "public"), join(folder, "next"));
  renameSync(join(folder, "next"), join(folder, "public"));
}

beforeAll(() => {
  fixture = makeFixture();
  const articles = ids.articles.map((id, at) => ({
    ...article(id, at),
    tags: at % 2 === 0 ? ["zoo"] : [],
  }));
  fixture.write("articles", articles);
  folder = mkdtempSync(join(tmpdir(), "stillpress-switch-"));
  for (const [path, file] of fixture.files(makeConfig({ mirror: { filters: [] } }))) {
    if (!("content" in file)) continue;
    for (const build of builds) {
      const target = join(folder, "builds", build, "public", path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, String(file.content()).replaceAll('"title":"', `"title":"${build} `));
    }
  }
  publish("old");
});
afterAll(() => {
  fixture.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Files of the publish root that another build is published behind, again and again: after each that is opened. */
function switching(files: ArchiveFiles): ArchiveFiles {
  return {
    ...files,
    async open(path) {
      const file = await files.open(path);
      publish(published === "old" ? "new" : "old");
      return file;
    },
    pinned: () => switching(files.pinned?.() ?? files),
  };
}

/** First word of each title in an answer that is made of several pages of the index. */
async function buildsIn(files: ArchiveFiles): Promise<(string | undefined)[]> {
  const handler = createHandler({ files, root: "api/v1" });
  const response = await handler(new Request("https://archive.test/api/v1/articles?tags=zoo"));
  const { data } = (await response.json()) as { data: { title: string }[] };
  return data.map(({ title }) => title.split(" ", 1)[0]);
}

it.each(builds)(
  "an answer is made of one build, %s, while another one is published",
  async (build) => {
    publish(build);
    const files = openFolder(join(folder, "public"));
    expect(await buildsIn(files)).toEqual([build, build]);
    expect(await buildsIn(switching(files))).toEqual([build, build]);
  },
);

/**
 * A whole archive of many articles, many small pictures and many galleries without any, and then one edited article:
 * what each stage costs, the memory of every process looked at ten times a second.
 * `npm run bench:scale -- --articles 100000 --pictures 100000`; a gallery has six files, nearly all of them tiny.
 */
import { startArchive } from "./archive.ts";
import { contentOf, galleriesOf } from "./corpus.ts";
import { benchOptions, fileSystemOf, inFolder, type ProgramFigures, printCells } from "./lib.ts";

const { sizes } = benchOptions({ articles: 2000, pictures: 2000, galleries: 0 });

async function main(folder: string): Promise<void> {
  const { articles, pictures, galleries } = sizes;
  const content = { ...(await contentOf(articles, pictures)), galleries: galleriesOf(galleries) };
  const archive = await startArchive(folder, content);
  const rows: [string, ProgramFigures][] = [];
  const stage = async (title: string, name: string): Promise<void> => {
    rows.push([title, await archive.run(name)]);
  };
  try {
    await stage("crawl", "crawl");
    await stage("downloads and renditions", "media");
    await stage("full build", "build");
    const middle = archive.content.articles.at(Math.floor(articles / 2))?.id ?? "";
    archive.content.articles.edit(middle, { title: "Edited" });
    await stage("crawl of one edit", "crawl");
    await stage("build of one edit", "build");
    await stage("nothing changed", "build");
    await stage("verify", "verify");
    await stage("rollback", "rollback");
    await stage("prune", "prune");
  } finally {
    await archive.close();
  }
  const title = `scale: ${articles} articles, ${pictures} pictures, ${galleries} galleries, ${fileSystemOf(folder)}`;
  const header = ["", "wall s", "cpu s", "all MiB", "largest MiB", "growth"];
  const lines = rows.map(([name, { wallMs, cpuMs, peakMiB, largestMiB, growth }]) => [
    name,
    (wallMs / 1000).toFixed(1),
    (cpuMs / 1000).toFixed(1),
    peakMiB.toFixed(0),
    largestMiB.toFixed(0),
    growth.toFixed(2),
  ]);
  printCells(title, [header, ...lines]);
}

await inFolder(main);

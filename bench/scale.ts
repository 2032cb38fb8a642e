/**
 * A whole archive of many articles and many small pictures, and then one edited article: what each stage costs, the
 * memory of every process looked at ten times a second. `npm run bench:scale -- --articles 100000 --pictures 100000`
 */
import { startCorpus } from "./archive.ts";
import { benchOptions, fileSystemOf, inFolder, type ProgramFigures, printCells } from "./lib.ts";

const { sizes } = benchOptions({ articles: 2000, pictures: 2000 });

async function main(folder: string): Promise<void> {
  const { articles, pictures } = sizes;
  const archive = await startCorpus(folder, articles, pictures);
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
  } finally {
    await archive.close();
  }
  const title = `scale: ${articles} articles, ${pictures} pictures, ${fileSystemOf(folder)}`;
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

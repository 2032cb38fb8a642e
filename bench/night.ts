/**
 * What one edited article costs: a crawl finds it, and the build publishes it. Compared with what Hugo takes for all of
 * the same articles, where it is installed. `npm run bench:night -- --articles 10000`
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startCorpus } from "./archive.ts";
import {
  benchOptions,
  type Figures,
  fileSystemOf,
  inFolder,
  isHere,
  measured,
  median,
  printTable,
} from "./lib.ts";
import { peers, prepare } from "./peers.ts";

const { sizes } = benchOptions({ articles: 2000, runs: 3 });

/** System calls that change a file system, but for those that open a file. */
const changing =
  "link,linkat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,symlink,symlinkat";

/** How many changes of the file system a trace has. What one thread interrupts in another has two lines. */
function changesIn(trace: string): number {
  const calls = readFileSync(trace, "utf8")
    .split("\n")
    .filter((line) => / \w+\(/.test(line));
  return calls.filter((line) => !line.includes(" openat(") || line.includes("O_CREAT")).length;
}

async function main(folder: string): Promise<void> {
  const { articles, runs } = sizes;
  const archive = await startCorpus(folder, articles);
  const middle = archive.content.articles.at(Math.floor(articles / 2))?.id ?? "";
  let edits = 0;
  const edit = async (): Promise<void> => {
    archive.content.articles.edit(middle, { title: `Edited ${++edits} times` });
    await archive.run("crawl");
  };
  try {
    await archive.run("snapshot");
    // Until as many builds are kept as the settings say: only then is there a spare one.
    for (let n = 0; n < 2; n++) {
      await edit();
      await archive.run("build");
    }
    const builds: Figures[] = [];
    for (let n = 0; n < runs; n++) {
      await edit();
      builds.push(await archive.run("build"));
    }
    const rows = [{ name: "build of the edit", figures: median(builds) }];
    const [hugo] = peers;
    if (hugo !== undefined && hugo.missing === undefined) {
      const source = join(folder, hugo.name);
      prepare(hugo, source, articles);
      const all: Figures[] = [];
      for (let n = 0; n < runs; n++)
        all.push(await measured(hugo.command(source, join(folder, `${hugo.name}-${n}`))));
      rows.push({ name: "hugo, all articles", figures: median(all) });
    }
    const title = `night: one of ${articles} articles edited, ${fileSystemOf(folder)}, median of ${runs}`;
    printTable(title, rows, "hugo, all articles");
    if (!isHere("strace", "-V")) return;
    await edit();
    const trace = join(folder, "trace");
    await archive.run(
      "build",
      "strace",
      "-f",
      "-qq",
      "-o",
      trace,
      "-e",
      `trace=${changing},openat`,
    );
    process.stdout.write(`  ${changesIn(trace)} changes of the file system\n`);
  } finally {
    await archive.close();
  }
}

await inFolder(main);

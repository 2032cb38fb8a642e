/**
 * Builds an archive of a corpus, website and mirror, and compares it with bare writes of the same files, and with the
 * websites that Hugo and Eleventy make of the same articles where they are installed: paired runs, medians.
 * `npm run bench:render -- --articles 10000`
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { walkSorted } from "../src/lib/files.ts";
import { startCorpus } from "./archive.ts";
import {
  benchOptions,
  type Figures,
  fileSystemOf,
  inChild,
  measured,
  median,
  printTable,
  report,
} from "./lib.ts";
import { peers, prepare } from "./peers.ts";

const { sizes, part, args } = benchOptions({ articles: 2000, runs: 3 });
const file = fileURLToPath(import.meta.url);

/** The floor: the same files with the same content, written in one go without any thought. */
function bareWrites(folder: string): Promise<void> {
  const source = join(folder, "out", "public");
  const contents = [...walkSorted(source)].map(
    (path) => [path, readFileSync(join(source, path))] as const,
  );
  const target = mkdtempSync(join(folder, "bare-"));
  const folders = new Set<string>();
  return report(() => {
    for (const [path, bytes] of contents) {
      const full = join(target, path);
      if (!folders.has(dirname(full))) mkdirSync(dirname(full), { recursive: true });
      folders.add(dirname(full));
      writeFileSync(full, bytes);
    }
  });
}

async function main(folder: string): Promise<void> {
  const { articles, runs } = sizes;
  const archive = await startCorpus(folder, articles);
  await archive.run("crawl");
  await archive.run("media");
  await archive.close();
  const here = peers.filter(({ missing }) => missing === undefined);
  for (const peer of here) prepare(peer, join(folder, peer.name), articles);
  const results = new Map<string, Figures[]>();
  const add = (name: string, figures: Figures): void => {
    results.set(name, [...(results.get(name) ?? []), figures]);
  };
  for (let n = 0; n < runs; n++) {
    // Moved away, not removed: creating files right after removing as many is several times slower.
    if (n > 0) renameSync(archive.out("builds"), archive.out(`builds-${n}`));
    for (const link of ["public", "deploy"]) rmSync(archive.out(link), { force: true });
    add("full build", await archive.run("build"));
    add("nothing changed", await archive.run("build"));
    for (const peer of here) {
      const target = join(folder, `${peer.name}-${n}`);
      add(peer.name, await measured(peer.command(join(folder, peer.name), target)));
    }
    add("bare writes", inChild(file, "bare", args));
  }
  const files = [...walkSorted(archive.out("public"))].length;
  const title = `render: ${articles} articles, ${files} files, ${fileSystemOf(folder)}, median of ${runs}`;
  const rows = Array.from(results, ([name, all]) => ({ name, figures: median(all) }));
  printTable(title, rows, here[0]?.name ?? "bare writes");
  for (const { name, missing } of peers)
    if (missing !== undefined) process.stdout.write(`  ${name} is not installed: ${missing}\n`);
}

if (part === "bare") await bareWrites(process.env.BENCH_FOLDER ?? "");
else {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-bench-"));
  process.env.BENCH_FOLDER = folder;
  try {
    await main(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

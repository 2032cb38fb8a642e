/**
 * What it takes to put a large archive into one file.
 *
 *     pack [--files 1000000]
 *
 * The demo's archive and its store get so many small files more; each kind of pack runs as a user runs it, beside `tar` of
 * the same files. Then programs that others wrote read what came out: `unzip -tqq`, Python's `zipfile`, `sha256sum -c`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "../src/lib/digest.ts";
import { FileList } from "../src/lib/file-list.ts";
import { type BuiltFile, readBuildManifest, writeManifest } from "../src/publish/manifest.ts";
import { readRecord, writeRecord } from "../src/publish/record.ts";
import { benchOptions, fileSystemOf, inFolder, measured, printCells } from "./lib.ts";

const { sizes } = benchOptions({ files: 1_000_000 });
const cli = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** Files of a hundred bytes or so, a thousand in a folder, in the archive and as blobs of the store. */
function addFiles(out: string): void {
  const [name = ""] = readdirSync(join(out, "builds"));
  const build = join(out, "builds", name);
  const files = new FileList<BuiltFile>();
  for (const file of readBuildManifest(build).values()) files.put(files.size, file);
  for (let n = 0; n < sizes.files; n++) {
    const path = `more/${Math.floor(n / 1000)}/${n}.json`;
    const content = `${JSON.stringify({ id: n, title: `File ${n}`, sum: sha256(String(n)) })}\n`;
    const digest = sha256(content);
    const blob = join(out, "store", "blobs", digest.slice(0, 2));
    if (n % 1000 === 0)
      mkdirSync(join(build, "public", "more", String(n / 1000)), { recursive: true });
    mkdirSync(blob, { recursive: true });
    writeFileSync(join(build, "public", path), content);
    writeFileSync(join(blob, digest), content);
    const about = { key: digest, bytes: content.length, sha256: digest, time: 0 };
    files.put(files.size, { path, ...about });
  }
  writeManifest(join(build, "manifest.ndjson"), files);
  const record = readRecord(build);
  if (record === undefined) throw new Error("the demo's archive has no record");
  writeRecord(build, { ...record, totals: { ...record.totals, files: files.size } });
}

interface Case {
  name: string;
  file: string;
  command: [program: string, ...args: string[]];
}

/** @throws where another program finds fault with a pack */
function check(folder: string, file: string): void {
  const run = (program: string, args: readonly string[], cwd = folder): void => {
    execFileSync(program, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
  };
  run("unzip", ["-tqq", file]);
  run("python3", ["-c", `import zipfile; assert zipfile.ZipFile("${file}").testzip() is None`]);
  if (!file.endsWith(".bag.zip")) return;
  run("unzip", ["-qq", file]);
  for (const sum of ["sha256", "sha512"]) {
    for (const part of ["manifest", "tagmanifest"])
      run(`${sum}sum`, ["-c", "--quiet", `${part}-${sum}.txt`], join(folder, "x"));
  }
  rmSync(join(folder, "x"), { recursive: true });
}

await inFolder(async (folder) => {
  const out = join(folder, "out");
  execFileSync(process.execPath, [cli, "demo", "--quiet", "--out", out], { stdio: "inherit" });
  addFiles(out);
  const pack = (kind: string, file: string): Case => {
    const path = join(folder, file);
    const args = ["pack", kind, path, "--quiet", "--out", out];
    return { name: `pack ${kind}`, file, command: [process.execPath, cli, ...args] };
  };
  const cases: Case[] = [
    {
      name: "tar",
      file: "x.tar",
      command: ["tar", "-chf", join(folder, "x.tar"), "-C", out, "public"],
    },
    pack("zip", "x.zip"),
    pack("bagit", "x.bag.zip"),
    pack("wacz", "x.wacz"),
  ];
  const rows: string[][] = [["", "wall s", "cpu s", "peak MiB", "x tar"]];
  let tar = 0;
  for (const { name, file, command } of cases) {
    const { wallMs, cpuMs, peakMiB } = await measured(command);
    if (name === "tar") tar = wallMs;
    else check(folder, file);
    rmSync(join(folder, file));
    const seconds = [wallMs, cpuMs].map((ms) => (ms / 1000).toFixed(1));
    rows.push([name, ...seconds, peakMiB.toFixed(0), (wallMs / tar).toFixed(2)]);
  }
  printCells(`${sizes.files} files more than the demo's, ${fileSystemOf(folder)}`, rows);
});

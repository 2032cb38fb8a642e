import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CDXIndexer, WARCParser } from "warcio";
import { fileSha256, sha256 } from "../../src/lib/digest.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { readBuildManifest } from "../../src/publish/manifest.ts";
import { type Press, type Run, startPress } from "../support/archive.ts";
import { readZip, unzip } from "./support.ts";

const title = `<b>Tide & "line"</b>\nPayload-Oxum: 1.1`;

let press: Press;
beforeAll(async () => {
  press = await startPress({ pressed: true, config: { site: { title } } });
});
afterAll(() => press.close());

const files = () => readBuildManifest(join(realpathSync(join(press.out, "public")), ".."));
const pathOf = (name: string): string => join(press.folder, name);

/** Packs, and reads what the command prints. */
async function pack(kind: string, name: string, ...args: string[]): Promise<Run> {
  return await press.run("pack", kind, pathOf(name), ...args);
}

/** Digests of all files below a folder by their paths. */
function digestsIn(folder: string): Map<string, string> {
  return new Map([...walkSorted(folder)].map((path) => [path, fileSha256(join(folder, path))]));
}

describe("a zip", () => {
  it("is the published archive in a folder, beside a page to start from", async () => {
    const { code, stdout } = await pack("zip", "hand over.zip");
    expect(code).toBe(0);
    const { size } = lstatSync(pathOf("hand over.zip"));
    const counts = { files: files().size, bytes: size };
    expect(JSON.parse(stdout)).toEqual({
      exitCode: 0,
      kind: "zip",
      file: pathOf("hand over.zip"),
      ...counts,
    });
    const names = readZip(pathOf("hand over.zip"));
    expect(new Set(names.map((name) => name.split("/")[0]))).toEqual(new Set(["hand over"]));

    const folder = join(unzip(pathOf("hand over.zip"), press.folder), "hand over");
    expect(readdirSync(folder).sort()).toEqual(["archive", "start-here.html"]);
    const published = new Map([...files().values()].map(({ path, sha256 }) => [path, sha256]));
    expect(digestsIn(join(folder, "archive"))).toEqual(new Map([...published].sort()));
    const start = readFileSync(join(folder, "start-here.html"), "utf8");
    expect(start).toContain('<a href="archive/index.html">&lt;b&gt;Tide &amp; &quot;line&quot;');
  });

  it("has the same bytes whenever it is made, and readable files", async () => {
    for (const kind of ["zip", "wacz"]) {
      const names = ["a", "b"].map((folder) => `${folder}/same.${kind}`);
      for (const name of names) expect((await pack(kind, name)).code).toBe(0);
      const [one, other] = names.map((name) => fileSha256(pathOf(name)));
      expect(one).toBe(other);
    }
    const listed = execFileSync("unzip", ["-Z", pathOf("a/same.zip")], { encoding: "utf8" });
    const rows = listed.split("\n").filter((row) => row.includes("same/"));
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter((row) => !row.startsWith("-rw-r--r--"))).toEqual([]);
  });
});

describe("a bag", () => {
  it("holds the store, which goes on elsewhere, and is valid", async () => {
    expect((await pack("bagit", "x.bag.zip")).code).toBe(0);
    readZip(pathOf("x.bag.zip"));
    const bag = join(unzip(pathOf("x.bag.zip"), press.folder), "x");
    for (const sum of ["sha256", "sha512"]) {
      for (const part of ["manifest", "tagmanifest"])
        execFileSync(`${sum}sum`, ["-c", "--quiet", "--strict", `${part}-${sum}.txt`], {
          cwd: bag,
        });
    }
    expect(readFileSync(join(bag, "bagit.txt"), "utf8")).toBe(
      "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n",
    );
    const payload = [...walkSorted(join(bag, "data"))];
    const sizes = payload.map((path) => lstatSync(join(bag, "data", path)).size);
    const bytes = sizes.reduce((total, size) => total + size, 0);
    const info = readFileSync(join(bag, "bag-info.txt"), "utf8").trimEnd().split("\n");
    expect(info.filter((line) => line.startsWith("Payload-Oxum: "))).toEqual([
      `Payload-Oxum: ${bytes}.${payload.length}`,
    ]);
    expect(info.find((line) => line.startsWith("External-Description: "))).toContain("Tide & ");
    for (const sum of ["sha256", "sha512"]) {
      const listed = readFileSync(join(bag, `manifest-${sum}.txt`), "utf8")
        .trimEnd()
        .split("\n");
      const paths = listed.map((line) => line.replace(/^[\da-f]+ {2}data\//, ""));
      expect(paths.sort()).toEqual([...payload].sort());
    }

    const other = await startPress({ config: { site: { title } } });
    try {
      cpSync(join(bag, "data", "store"), join(other.out, "store"), { recursive: true });
      const args = ["build", "--out", other.out];
      expect((await press.run(...(args as ["build"]))).code).toBe(0);
      expect(digestsIn(realpathSync(join(other.out, "public")))).toEqual(
        digestsIn(realpathSync(join(press.out, "public"))),
      );
    } finally {
      await other.close();
    }
  });

  it("tells which published file is which blob", async () => {
    const bag = join(unzip(pathOf("x.bag.zip"), press.folder), "x", "data");
    const rows = readFileSync(join(bag, "published.csv"), "utf8").trim().split("\r\n").slice(1);
    const listed = rows.map((row) => row.split(",").map((cell) => cell.slice(1, -1)));
    expect(
      listed.filter(([path = ""]) => /\.(?:jpg|png|webp|pdf)$/.test(path)).length,
    ).toBeGreaterThan(20);
    for (const [path = "", blob = ""] of listed)
      expect(fileSha256(join(bag, blob))).toBe(fileSha256(join(press.out, "public", path)));
  });
});

describe("a web archive", () => {
  let folder: string;
  beforeAll(async () => {
    expect((await pack("wacz", "x.wacz")).code).toBe(0);
    readZip(pathOf("x.wacz"));
    folder = unzip(pathOf("x.wacz"), press.folder);
  });
  const read = (path: string): Buffer => readFileSync(join(folder, path));
  const home = "https://archive.invalid/";

  it("describes itself with digests", () => {
    const about = JSON.parse(read("datapackage.json").toString());
    expect(about).toMatchObject({
      profile: "data-package",
      title,
      mainPageUrl: `${home}index.html`,
    });
    const paths = about.resources.map(({ path }: { path: string }) => path);
    expect(paths.sort()).toEqual([
      "archive/data.warc.gz",
      "indexes/index.cdx.gz",
      "indexes/index.idx",
      "pages/pages.jsonl",
    ]);
    for (const { path, hash, bytes } of about.resources) {
      expect(hash).toBe(`sha256:${fileSha256(join(folder, path))}`);
      expect(bytes).toBe(lstatSync(join(folder, path)).size);
    }
    const { hash } = JSON.parse(read("datapackage-digest.json").toString());
    expect(hash).toBe(`sha256:${sha256(read("datapackage.json"))}`);
  });

  it("has each published file as a record with its bytes", async () => {
    const found = new Map<string, string>();
    const parser = new WARCParser(new Blob([read("archive/data.warc.gz")]).stream());
    for await (const record of parser) {
      const content = await record.readFully(false);
      expect(record.warcHeader("WARC-Block-Digest")).toBe(`sha256:${sha256(content)}`);
      expect(record.warcHeaders.statusline).toBe("WARC/1.1");
      if (record.warcType === "resource") found.set(record.warcTargetURI ?? "", sha256(content));
    }
    for (const { path, sha256 } of files().values())
      expect([path, found.get(home + encodeURI(path))]).toEqual([path, sha256]);
    expect(found.get(home)).toBe(files().get("index.html")?.sha256);
  });

  it("has the index that another program makes, sorted, in blocks that can be found", async () => {
    const blocks = read("indexes/index.cdx.gz");
    const lines = gunzipSync(blocks).toString("latin1").trimEnd().split("\n");
    expect(lines).toEqual([...lines].sort());
    const warc = new Blob([read("archive/data.warc.gz")]).stream();
    const made: string[] = [];
    for await (const line of new CDXIndexer({ format: "cdxj" }).iterIndex([
      { filename: "data.warc.gz", reader: warc },
    ]))
      made.push(placeOf(new CDXIndexer({ format: "cdxj" }).serializeCDXJ(line)));
    expect(lines.map(placeOf).sort()).toEqual(made.sort());

    const [meta = "", ...starts] = read("indexes/index.idx").toString().trimEnd().split("\n");
    expect(JSON.parse(meta.replace("!meta 0 ", ""))).toMatchObject({ filename: "index.cdx.gz" });
    let seen = 0;
    for (const start of starts) {
      const { offset, length } = JSON.parse(start.slice(start.indexOf("{")));
      const block = gunzipSync(blocks.subarray(offset, offset + length)).toString("latin1");
      expect(block.startsWith(start.slice(0, start.indexOf(" {")))).toBe(true);
      expect(lines[seen]).toBe(block.slice(0, block.indexOf("\n")));
      seen += block.trimEnd().split("\n").length;
    }
    expect(seen).toBe(lines.length);
  });

  it("lists the pages to begin from", () => {
    const [head, ...pages] = read("pages/pages.jsonl")
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(head.format).toBe("json-pages-1.0");
    const urls = pages.map(({ url }) => url);
    expect(urls).toContain(`${home}index.html`);
    const articles = [...files().values()].filter(({ about = "" }) =>
      about.startsWith("articles/"),
    );
    for (const { path } of articles) expect(urls).toContain(home + path);
    expect(pages.find(({ url }) => url === `${home}index.html`).title).toContain("<b>Tide & ");
  });
});

/** Key, address and place of a line of an index, without what programs write differently. */
function placeOf(line: string): string {
  const [key, time, json = ""] = line.split(/ (?=\d{14} )|(?<= \d{14}) /);
  const { url, offset, length } = JSON.parse(json);
  return [key, time, url, offset, length].join(" ");
}

describe("stillpress pack", () => {
  it("replaces a file only when told to, and writes none into the output folder", async () => {
    writeFileSync(pathOf("mine.zip"), "mine");
    const refused = await pack("zip", "mine.zip");
    expect(refused.code).toBe(2);
    expect(readFileSync(pathOf("mine.zip"), "utf8")).toBe("mine");
    expect((await pack("zip", "mine.zip", "--force")).code).toBe(0);
    expect((await press.run("pack", "zip", join(press.out, "store", "x.zip"))).code).toBe(2);
    expect(existsSync(join(press.out, "store", "x.zip"))).toBe(false);
    expect((await press.run("pack", "tar")).code).toBe(2);
    expect((await press.run("pack", "zip", press.folder, "--force")).code).toBe(2);
  });

  it("leaves nothing of a pack that it cannot finish", async () => {
    const { path } = [...files().values()].at(-1) ?? { path: "" };
    const file = join(realpathSync(join(press.out, "public")), path);
    const before = readFileSync(file);
    appendFileSync(file, " ");
    try {
      for (const kind of ["zip", "wacz"]) {
        const { code, stdout } = await pack(kind, "broken/x.pack");
        expect(code).toBe(5);
        expect(stdout).toContain(path);
      }
    } finally {
      writeFileSync(file, before);
    }
    const ended = await press.run("pack", "bagit", pathOf("broken/x.bag.zip"));
    expect(ended.code).toBe(0);
    rmSync(pathOf("broken/x.bag.zip"));
    expect(readdirSync(pathOf("broken"))).toEqual([]);
  });
});

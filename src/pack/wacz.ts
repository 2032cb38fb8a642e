import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { typeOfPath } from "../lib/content-type.ts";
import { sha256 } from "../lib/digest.ts";
import { version } from "../lib/version.ts";
import type { BuiltFile } from "../publish/manifest.ts";
import { decodeAttribute } from "../site/nodes.ts";
import { timeOfId } from "../store/snapshots.ts";
import { createSums, type Pack, type PackInput, publishedFiles } from "./content.ts";
import { SortedLines } from "./sorted-lines.ts";
import { Spool } from "./spool.ts";
import { type WarcFile, warcInfo, warcRecord } from "./warc.ts";
import { type Pieces, writeZip, type ZipWriter } from "./zip-writer.ts";

/** Address of an archive that has none: a name that leads nowhere (RFC 2606). */
const noHome = "https://archive.invalid/";
const warcName = "data.warc.gz";
const indexName = "index.cdx.gz";
/** Lines of the index that are compressed together: a reader unpacks so many to find one. */
const linesTogether = 3000;
/** Pages that a reader lists to begin from. */
const isListed = /^(?:articles|galleries)\//;

/** The published archive as a web archive: https://specs.webrecorder.net/wacz/1.1.1/ */
export async function packWacz(input: PackInput): Promise<Pack> {
  const { path, record } = input;
  const time = timeOfId(record.snapshot);
  let files = 0;
  const bytes = await writeZip(path, time, async (zip) => {
    const wacz = new WaczWriter(zip, record.site.url ?? noHome, time);
    try {
      await wacz.add(`archive/${warcName}`, wacz.records(input));
      await wacz.add(`indexes/${indexName}`, wacz.indexBlocks());
      await wacz.add("indexes/index.idx", wacz.blocks.pieces());
      await wacz.add("pages/pages.jsonl", wacz.pages.pieces());
      await wacz.describe(record.site.title);
      files = wacz.files;
    } finally {
      wacz.close();
    }
  });
  return { files, bytes };
}

class WaczWriter {
  readonly #zip: ZipWriter;
  /** Address of the publish root, with a slash at its end. */
  readonly #home: string;
  /** ISO 8601 in UTC, in whole seconds. */
  readonly #time: string;
  readonly #resources: object[] = [];
  readonly #sorted: Spool;
  /** Lines of the index, in the order of their keys. */
  readonly #index: SortedLines;
  /** Where each block of the compressed index begins, and with what key. */
  readonly blocks: Spool;
  /** Pages to begin from. */
  readonly pages: Spool;
  files = 0;

  constructor(zip: ZipWriter, home: string, time: Date) {
    this.#zip = zip;
    this.#home = home.replace(/\/?$/, "/");
    this.#time = `${time.toISOString().slice(0, 19)}Z`;
    this.#sorted = new Spool(zip.temporaryPath("index"));
    this.#index = new SortedLines(this.#sorted);
    this.blocks = new Spool(zip.temporaryPath("blocks"));
    this.pages = new Spool(zip.temporaryPath("pages"));
    const meta = { format: "cdxj-gzip-1.0", filename: indexName };
    this.blocks.write(`!meta 0 ${JSON.stringify(meta)}\n`);
    this.pages.write(lineOf({ format: "json-pages-1.0", id: "pages", title: "Pages" }));
  }

  close(): void {
    for (const spool of [this.#sorted, this.blocks, this.pages]) spool.close();
  }

  async add(path: string, content: Pieces): Promise<void> {
    const sums = createSums(["sha256"]);
    await this.#zip.add(path, sums.through(content));
    const { bytes, sha256 } = sums.end();
    const name = path.slice(path.indexOf("/") + 1);
    this.#resources.push({ name, path, hash: `sha256:${sha256}`, bytes });
  }

  /** The files as records, which are noted in the index. */
  async *records(input: PackInput): AsyncGenerator<Uint8Array> {
    const info = warcInfo(this.#time);
    yield info;
    let offset = info.length;
    for await (const { file, content } of publishedFiles(input)) {
      const { bytes, sha256, path } = file;
      const url = this.#home + path.split("/").map(encodeURIComponent).join("/");
      const folder = url.replace(/(?<=\/)index\.html$/, "");
      // What people type has no index.html, and readers want a record of its own for each address.
      for (const one of new Set([url, folder])) {
        const warcFile = { url: one, type: typeOfPath(path), bytes, sha256 };
        let length = 0;
        for await (const piece of warcRecord(warcFile, this.#time, content())) {
          length += piece.length;
          yield piece;
        }
        this.#index.add(this.#indexLine(warcFile, offset, length));
        offset += length;
      }
      if (path === "index.html" || isListed.test(file.about ?? ""))
        this.#notePage(input, file, url);
      this.files++;
    }
  }

  #indexLine(file: WarcFile, offset: number, length: number) {
    const { url, type, sha256 } = file;
    const about = {
      url,
      mime: type.replace(/;.*/, ""),
      status: "200",
      digest: `sha256:${sha256}`,
      length: String(length),
      offset: String(offset),
      filename: warcName,
    };
    return `${keyOfUrl(url)} ${this.#time.replace(/\D/g, "")} ${JSON.stringify(about)}`;
  }

  #notePage({ build }: PackInput, { path }: BuiltFile, url: string): void {
    const html = readFileSync(join(build, "public", path), "utf8");
    const title = decodeAttribute(/<title>([^<]*)</.exec(html)?.[1] ?? "");
    this.pages.write(lineOf({ id: sha256(url).slice(0, 16), url, ts: this.#time, title }));
  }

  /** The index, in blocks that are compressed each. */
  async *indexBlocks(): AsyncGenerator<Uint8Array> {
    let lines: string[] = [];
    let offset = 0;
    const end = (): Buffer => {
      const block = gzipSync(`${lines.join("\n")}\n`);
      const [first = ""] = lines;
      const about = {
        offset,
        length: block.length,
        digest: `sha256:${sha256(block)}`,
        filename: indexName,
      };
      this.blocks.write(`${first.slice(0, first.indexOf(" {"))} ${JSON.stringify(about)}\n`);
      offset += block.length;
      lines = [];
      return block;
    };
    for await (const line of this.#index.lines()) {
      lines.push(line);
      if (lines.length === linesTogether) yield end();
    }
    if (lines.length > 0) yield end();
  }

  /** Says what the package is, with the digests of its parts. */
  async describe(title: string): Promise<void> {
    const about = {
      profile: "data-package",
      wacz_version: "1.1.1",
      title,
      software: `stillpress ${version}`,
      created: this.#time,
      mainPageUrl: `${this.#home}index.html`,
      mainPageDate: this.#time,
      resources: this.#resources,
    };
    const text = `${JSON.stringify(about, undefined, 2)}\n`;
    await this.#zip.add("datapackage.json", [Buffer.from(text)]);
    const digest = { path: "datapackage.json", hash: `sha256:${sha256(text)}` };
    await this.#zip.add("datapackage-digest.json", [Buffer.from(lineOf(digest))]);
  }
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;

/** keyOfUrl("https://www.example.org/A?c&b") → "org,example)/a?b&c" */
function keyOfUrl(url: string): string {
  const { hostname, port, pathname, search } = new URL(url.toLowerCase());
  const host = hostname
    .replace(/^www\d*\./, "")
    .split(".")
    .reverse()
    .join(",");
  const query = search.slice(1).split("&").sort().join("&");
  return `${host}${port && `:${port}`})${pathname}${query && `?${query}`}`;
}

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { filePieces } from "../lib/digest.ts";
import { csvRow, lineText } from "../lib/foreign.ts";
import { otherWork } from "../lib/other-work.ts";
import { version } from "../lib/version.ts";
import { builtFilesOf } from "../publish/manifest.ts";
import { filesToKeep, isBlob } from "../store/kept-files.ts";
import { openShared, sharedName } from "../store/shared-place.ts";
import { timeOfId } from "../store/snapshots.ts";
import { createSums, intact, type Pack, type PackInput } from "./content.ts";
import { Spool } from "./spool.ts";
import { type Pieces, writeZip, type ZipWriter } from "./zip-writer.ts";

export interface BagInput extends PackInput {
  store: string;
  now: Date;
}

/** Of files in the payload, or of the tag files that stand beside it. */
const algorithms = ["sha256", "sha512"] as const;
const declaration = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";

/** The whole store, with all originals and renditions, as a bag (RFC 8493) in a zip. */
export async function packBag(input: BagInput): Promise<Pack> {
  const { path, record } = input;
  const folder = basename(path).replace(/(?:\.bag)?\.zip$/i, "");
  let files = 0;
  const bytes = await writeZip(path, timeOfId(record.snapshot), async (zip) => {
    const payload = new BagPart(zip, folder, "manifest");
    const tags = new BagPart(zip, folder, "tagmanifest");
    try {
      await addStore(payload, input);
      files = payload.files;
      await payload.add("data/README.txt", textOf(readme));
      await payload.add("data/published.csv", publishedBlobs(input));
      const { manifests } = payload;
      await tags.add("bagit.txt", textOf(declaration));
      await tags.add("bag-info.txt", textOf(bagInfo(input, payload)));
      for (const [name, lines] of manifests) await tags.add(name, lines.pieces());
      for (const [name, lines] of tags.manifests)
        await zip.add(`${folder}/${name}`, lines.pieces());
    } finally {
      for (const part of [payload, tags]) part.close();
    }
  });
  return { files, bytes };
}

/** The payload of a bag, or its tag files, with the manifests of these. */
class BagPart {
  readonly #zip: ZipWriter;
  readonly #folder: string;
  readonly manifests: Map<string, Spool>;
  files = 0;
  bytes = 0;

  constructor(zip: ZipWriter, folder: string, name: "manifest" | "tagmanifest") {
    this.#zip = zip;
    this.#folder = folder;
    const names = algorithms.map((algorithm) => `${name}-${algorithm}.txt`);
    this.manifests = new Map(names.map((name) => [name, new Spool(zip.temporaryPath(name))]));
  }

  async add(path: string, content: Pieces): Promise<void> {
    const sums = createSums(algorithms);
    await this.#zip.add(`${this.#folder}/${path}`, sums.through(content));
    const { bytes, ...digests } = sums.end();
    this.files++;
    this.bytes += bytes;
    for (const [at, lines] of [...this.manifests.values()].entries())
      lines.write(`${digests[algorithms[at] as "sha256"]}  ${path}\n`);
  }

  close(): void {
    for (const lines of this.manifests.values()) lines.close();
  }
}

const textOf = (text: string): Buffer[] => [Buffer.from(text)];

/** @throws StoreError where a blob is damaged. @throws the signal's reason */
async function addStore(payload: BagPart, { store, reporter, signal }: BagInput): Promise<void> {
  const stage = reporter.stage("packing the store");
  for (const path of filesToKeep(store)) {
    // The bag has the shared blobs, and needs no place.
    if (path === sharedName) continue;
    const file = join(store, path);
    const content = isBlob(path) ? intact(file, basename(path)) : filePieces(file);
    await payload.add(`data/store/${path}`, content);
    stage.advance();
    await otherWork();
    signal.throwIfAborted();
  }
  const shared = openShared(store)?.blobs;
  for await (const { digest } of shared?.list() ?? []) {
    const path = blobPath(digest);
    if (existsSync(join(store, path))) continue;
    await shared?.use(digest, (file) => payload.add(`data/store/${path}`, intact(file, digest)));
    stage.advance();
    signal.throwIfAborted();
  }
  stage.end();
}

const blobPath = (digest: string): string => `blobs/${digest.slice(0, 2)}/${digest}`;

/** Which file of the published archive is which blob. */
async function* publishedBlobs({ build, store }: BagInput): AsyncGenerator<Buffer> {
  const row = (...cells: string[]): Buffer => Buffer.from(csvRow(cells));
  const shared = openShared(store)?.blobs;
  yield row("path in the archive", "file", "bytes");
  for await (const { path, sha256, bytes } of builtFilesOf(build)) {
    const blob = blobPath(sha256);
    const isBlob = existsSync(join(store, blob)) || (await shared?.hasStill(sha256, bytes));
    if (isBlob) yield row(path, `store/${blob}`, String(bytes));
  }
}

function bagInfo({ record, now }: BagInput, payload: BagPart): string {
  const { site, settings, snapshot } = record;
  const fields = {
    "Bag-Software-Agent": `stillpress ${version}`,
    "Bagging-Date": now.toISOString().slice(0, 10),
    "Payload-Oxum": `${payload.bytes}.${payload.files}`,
    "External-Identifier": site.url ?? settings.origin.baseUrl,
    "External-Description": `${site.title}: what ${settings.origin.baseUrl} had at ${timeOfId(snapshot).toISOString()}`,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${lineText(value)}`);
  return `${lines.join("\n")}\n`;
}

const readme = `data/store is the store of a stillpress archive: snapshots of what a publishing service's API said,
lines of JSON in objects/, media/ and snapshots/, and the files themselves in blobs/, each under
the SHA-256 of its content. published.csv tells under which paths the archive showed them.

To make the website and the mirror of the API again, put store/ into a new folder "out" and run
"stillpress build --out out" with the archive's configuration.
`;

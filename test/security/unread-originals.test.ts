// An author, with a document that holds a secret: an answer of the service, its headers, a list of its pictures.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../src/lib/digest.ts";
import { walkSorted } from "../../src/lib/files.ts";
import type { Remark } from "../../src/lib/reporter.ts";
import { base, ids } from "../mirror/fixture.ts";
import { type Publishing, startPublishing } from "../publish/support.ts";
import { putBlob } from "../support/blob.ts";

const token = "canary-7c1f0e5d-token+4a/9b==";
const hidden = ids.privateImage;
const signed = `${base}/images/1/download?expires=1700000000&signature=0123456789abcdef`;
const plain = Buffer.from(`id,title\n1,"One"\n`);
const absent = 4;
const mebibyte = 1 << 20;

let archive: Publishing;
beforeEach(() => {
  archive = startPublishing();
});
afterEach(() => archive.close());

const document = (id: string) => ({
  id,
  title: `Document ${id}`,
  links: { download: `${base}/documents/${id}/download` },
});

/** Makes files the originals of documents, one each, called d0, d1 and so on. */
function keep(files: readonly Uint8Array[], type = "text/csv", extension = "csv"): void {
  archive.fixture.write(
    "documents",
    files.map((_, at) => document(`d${at}`)),
  );
  const { snapshots, media } = archive.fixture.store;
  const reader = archive.fixture.store.reader(snapshots.latest() as never);
  for (const [at, bytes] of files.entries()) {
    const blob = putBlob(archive.fixture.store, bytes);
    const original = { blob, bytes: bytes.length, type, extension };
    const record = reader.digestOf("documents", `d${at}`) ?? "";
    media.put({ kind: "documents", id: `d${at}`, record, recipe: "", original, renditions: [] });
  }
}

const build = () => archive.build({}, { secrets: [token] });

/** Remarks but those on images that are in no index, of which the archive has one. */
const onOriginals = ({ remarks }: { remarks: readonly Remark[] }): Remark[] =>
  remarks.filter(({ reason }) => !reason.includes("in no index"));

function paths(extension = "csv"): string[] {
  const all = [...walkSorted(`${archive.out}/public`)];
  return all.filter((path) => path.endsWith(`.${extension}`) && !/^assets|by\/download/.test(path));
}

const basic = Buffer.from(`user:${token}`).toString("base64");
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");

const secrets: [string, string | Uint8Array][] = [
  ["the token", `Authorization: Bearer ${token}`],
  ["the token in base64", `{"authorization":"Basic ${basic}"}`],
  ["the token in JSON escapes", `{"t":"\\u0063${token.slice(1)}"}`],
  ["the token in a URL", `<a href="?t=${encodeURIComponent(token)}">`],
  ["a private id", `id\n${hidden}\n`],
  ["a private id without dashes", `{\\rtf1 ${hidden.replaceAll("-", "")}}`],
  ["a private id in entities", `<image href="&#49;${hidden.slice(1)}.jpg"/>`],
  ["a signed link", `WEBVTT\n\n00:00.000 --> 00:02.000\n${signed}\n`],
  ["a signed link in JSON", JSON.stringify({ u: signed }).replaceAll("/", "\\/")],
  ["the token in UTF-16", utf16(`Token: ${token}`)],
  ["the token in UTF-16, big endian", utf16(`Token: ${token}`).swap16()],
  ["the token in UTF-16 without a mark", Buffer.from(`Token: ${token}`, "utf16le")],
  ["the token in UTF-16 beside other letters", utf16(`${"Ключ ".repeat(999)}${token}`)],
  ["the token in Latin-1", Buffer.from(`Schlüssel: ${token}`, "latin1")],
  ["the token, compressed", gzipSync(`Token: ${token}`)],
  ["the token in a PDF", `%PDF-1.4\n%âãÏÓ\n1 0 obj <</URI (https://o.test/?t=${token})>>`],
  ["the token far behind", Buffer.concat([Buffer.alloc(5 * mebibyte, "a "), Buffer.from(token)])],
  [
    "the token across two pieces",
    Buffer.concat([Buffer.alloc(mebibyte - 7, "a "), Buffer.from(`${token} b`)]),
  ],
  [
    "the token in one line across two pieces",
    Buffer.concat([Buffer.alloc(mebibyte - 7, "a"), Buffer.from(`.${token} b`)]),
  ],
];
const harmless: [string, string | Uint8Array][] = [
  ["text", "A token is a word, and signature=none is no secret."],
  ["a signed link of another host", `https://s3.test/a?Expires=1&Signature=${"a".repeat(20)}`],
  [
    "such a link across two pieces",
    Buffer.concat([
      Buffer.alloc(mebibyte - 30, "a "),
      Buffer.from(`https://s3.test/a/b?Expires=1&Signature=${"a".repeat(20)} b`),
    ]),
  ],
  [
    "bytes that are no text",
    Buffer.from(Uint8Array.from({ length: 9999 }, (_, at) => (at * 7919) % 256)),
  ],
  ["a broken gzip", Buffer.concat([gzipSync("a").subarray(0, 15), Buffer.from("x")])],
  ["nothing", ""],
];
const bytesOf = (text: string | Uint8Array): Buffer => Buffer.from(text as string);
const all = [...secrets, ...harmless].map(([, text]) => bytesOf(text));

describe("an archive with documents that hold secrets, and others", () => {
  it("publishes the others, and says which it does not", async () => {
    keep(all);
    const { published, missing, ...built } = await build();
    const remarks = onOriginals(built);
    // Those of the small archive itself.
    expect([published, missing]).toEqual([true, absent]);
    const withheld = secrets.map((_, at) => ({
      subject: `document d${at}`,
      reason: expect.stringMatching(/^its file would give away .*: it is not published$/),
    }));
    const named = remarks.map(({ subject, reason }) => ({ subject, reason }));
    expect(named).toEqual(withheld);
    const files = new Set(
      paths().map((path) => sha256(readFileSync(`${archive.out}/public/${path}`))),
    );
    expect(files).toEqual(new Set(harmless.map(([, text]) => sha256(bytesOf(text)))));
    // The next night has nothing new to say.
    expect((await build()).published).toBe(false);
  });
});

describe("a document that holds a secret", () => {
  it("keeps its record and its page, and comes back when the file is another", async () => {
    keep([Buffer.from(token)]);
    await build();
    expect(paths()).toEqual([]);
    keep([plain]);
    await build();
    expect(paths()).toHaveLength(1);
  });

  it("is withdrawn once an image that it names is private", async () => {
    const [one = ""] = ids.images;
    keep([Buffer.from(one), plain]);
    await build();
    expect(paths()).toHaveLength(2);
    archive.fixture.write("images.private", [{ id: hidden }, { id: one }]);
    const remarks = onOriginals(await build());
    expect(remarks).toHaveLength(1);
    expect(paths()).toHaveLength(1);
  });

  it("may be an image that is no picture, or an SVG", async () => {
    const [one = ""] = ids.images;
    const { media } = archive.fixture.store;
    const entry = media.get("images", one);
    if (entry === undefined) throw new Error("no entry");
    const bytes = Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg"><desc>${token}</desc></svg>`,
    );
    const blob = putBlob(archive.fixture.store, bytes);
    const original = {
      ...entry.original,
      blob,
      bytes: bytes.length,
      type: "image/svg+xml",
      extension: "svg",
    };
    media.put({ ...entry, original });
    const remarks = onOriginals(await build());
    expect(remarks.map(({ subject }) => subject)).toEqual([`image ${one}`]);
    expect(paths("svg")).toEqual([]);
    expect(archive.read(`images/${one}.html`)).toContain("<img");
  });
});

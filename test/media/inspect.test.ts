import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inspectFile } from "../../src/media/inspect.ts";
import { fileTypeOf } from "../../src/media/magic.ts";

function typeOf(bytes: Buffer | string, said?: string): string {
  const head = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
  const { type, extension } = fileTypeOf({ head, tail: head }, said);
  return `${type} ${extension}`;
}

const webm = Buffer.concat([Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282", "hex")]);
const ftyp = (brands: string): string =>
  `\0\0\0${String.fromCharCode(8 + brands.length)}ftyp${brands}\0\0`;

describe("fileTypeOf", () => {
  it.each([
    ["\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg jpg"],
    ["\x89PNG\r\n\x1a\n\0\0", "image/png png"],
    ["GIF89a", "image/gif gif"],
    ["RIFF\x10\0\0\0WEBPVP8 ", "image/webp webp"],
    ["II*\0\x08\0\0\0", "image/tiff tiff"],
    ["MM\0*\0\0\0\x08", "image/tiff tiff"],
    ["BM\x10\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", "image/bmp bmp"],
    [ftyp("avif\0\0\0\0avifmif1"), "image/avif avif"],
    [ftyp("mif1\0\0\0\0mif1avif"), "image/avif avif"],
    [ftyp("heic\0\0\0\0mif1heic"), "image/heic heic"],
    [ftyp("isom\0\0\0\0isomavc1"), "video/mp4 mp4"],
    [ftyp("qt  \0\0\0\0qt  "), "video/quicktime mov"],
    [ftyp("M4A \0\0\0\0M4A mp42"), "audio/mp4 m4a"],
    [`${webm.toString("latin1")}\x84webm`, "video/webm webm"],
    [`${webm.toString("latin1")}\x88matroska`, "video/x-matroska mkv"],
    ["OggS\0\x02\0\0\0\0\x01\x1e\x01vorbis", "audio/ogg ogg"],
    ["OggS\0\x02\0\0\0\0\x01\x2a\x80theora", "video/ogg ogv"],
    ["RIFF\x24\0\0\0WAVEfmt ", "audio/wav wav"],
    ["RIFF\x24\0\0\0AVI LIST", "video/x-msvideo avi"],
    ["ID3\x04\0\0", "audio/mpeg mp3"],
    ["\xff\xfb\x90\x64\0\0", "audio/mpeg mp3"],
    ["\xff\xf1\x50\x80\0\0", "audio/aac aac"],
    ["fLaC\0\0\0\x22", "audio/flac flac"],
    ["%PDF-1.7\n", "application/pdf pdf"],
    ["\n\n%PDF-1.4\n", "application/pdf pdf"],
    ["PK\x03\x04\x14\0\0\0\0\0stuff.txt", "application/zip zip"],
    [
      "PK\x03\x04\x14\0\0\0\0\0[Content_Types].xml ... word/document.xml",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document docx",
    ],
    [
      "PK\x03\x04\x14\0\0\0\0\0mimetypeapplication/vnd.oasis.opendocument.text",
      "application/vnd.oasis.opendocument.text odt",
    ],
    ["{\\rtf1\\ansi", "application/rtf rtf"],
    ["<!DOCTYPE html><html><body>Sign in</body></html>", "text/html html"],
    ["\n <!-- cached -->\n<html lang=en>", "text/html html"],
    ["\xef\xbb\xbf<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml svg"],
    ['<?xml version="1.0"?><!-- a --><!DOCTYPE svg [<!ENTITY x "y">]><svg/>', "image/svg+xml svg"],
    ["", "application/octet-stream bin"],
    // ISO/IEC 15444-1 (JPEG 2000) and ISO/IEC 18181 (JPEG XL): in a container, and without one.
    ["\0\0\0\x0cjP  \r\n\x87\n\0\0", "image/jp2 jp2"],
    ["\xff\x4f\xff\x51\0\x2f", "image/jp2 jp2"],
    ["\0\0\0\x0cJXL \r\n\x87\n\0\0", "image/jxl jxl"],
    ["\xff\x0a\xfa\x7f", "image/jxl jxl"],
    // BigTIFF: 43 in the place of 42.
    ["II+\0\x08\0\0\0", "image/tiff tiff"],
    ["MM\0+\0\x08\0\0", "image/tiff tiff"],
    [ftyp("crx \0\0\0\0crx isom"), "image/x-canon-cr3 cr3"],
  ])("recognises %j as %s, whatever the server says", (bytes, expected) => {
    expect(typeOf(bytes)).toBe(expected);
    expect(typeOf(bytes, "image/x-unheard-of")).toBe(expected);
  });

  it.each([
    ["name;age\nA;1", "text/csv", "text/csv csv"],
    ['{"a":1}', "application/json", "application/json json"],
    ["plain words", "text/plain", "text/plain txt"],
    ["\0\0\0", "text/plain", "application/octet-stream bin"],
    ["\0\x01\x02", "image/x-sony-arw", "image/x-sony-arw bin"],
    ["\0\x01\x02", "image/jxl", "application/octet-stream bin"],
    ["\x01\x02", "font/woff2", "font/woff2 woff2"],
    ["no image", "image/jpeg", "text/plain txt"],
    ["no image\0", "image/jpeg", "application/octet-stream bin"],
    [
      "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
      "application/vnd.ms-excel",
      "application/vnd.ms-excel xls",
    ],
    ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "text/plain", "application/msword doc"],
  ])("takes the server's word for %j as %s where bytes cannot tell", (bytes, said, expected) => {
    expect(typeOf(bytes, said)).toBe(expected);
  });

  it("reads SVG in UTF-16", () => {
    const text = '<?xml version="1.0" encoding="UTF-16"?><svg/>';
    const little = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    const big = Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, "utf16le").swap16()]);
    expect(typeOf(little)).toBe("image/svg+xml svg");
    expect(typeOf(big)).toBe("image/svg+xml svg");
  });

  it("takes a text that is all comments for no SVG", () => {
    // So long that a search which begins anew at each comment would not end within the test's time.
    expect(typeOf("<!-- -->".repeat(500_000))).toBe("application/octet-stream bin");
  });
});

describe("inspectFile", () => {
  let folder: string;
  const file = (bytes: Buffer | string): string => {
    const path = join(folder, "file");
    writeFileSync(path, bytes);
    return path;
  };
  const picture = sharp({ create: { width: 60, height: 40, channels: 3, background: "#246" } });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "stillpress-inspect-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("gives the upright size", async () => {
    const bytes = await picture.clone().withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const facts = await inspectFile(file(bytes), { said: "application/octet-stream" });
    expect(facts).toMatchObject({ type: "image/jpeg", extension: "jpg", bytes: bytes.length });
    expect(facts.image).toMatchObject({ width: 40, height: 60, animated: false, pages: 1 });
  });

  it("tells the colour space", async () => {
    const cmyk = await inspectFile(
      file(await picture.clone().toColourspace("cmyk").jpeg().toBuffer()),
    );
    expect(cmyk.image).toMatchObject({ space: "cmyk" });
  });

  it.each([
    ['width="300" height="200"', 300, 200],
    ['viewBox="0 0 30 20"', 30, 20],
    ['width="90000" height="300"', 4096, 14],
  ])("takes the size of an SVG from %s, up to 4096 pixels", async (attributes, width, height) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><rect width="5" height="5"/></svg>`;
    expect((await inspectFile(file(svg))).image).toMatchObject({ width, height, svg: true });
  });

  it("says what is wrong with a header instead of throwing", async () => {
    const facts = await inspectFile(file(Buffer.from("\x89PNG\r\n\x1a\nnothing", "latin1")));
    expect(facts.image).toBeUndefined();
    expect(facts.damage).toBeTruthy();
    expect(facts.damage).not.toContain(folder);
    expect((await inspectFile(file("<svg"))).damage).toBeTruthy();
  });

  it("does not take a page for a picture", async () => {
    const said = "image/jpeg";
    const facts = await inspectFile(file("<!doctype html><title>503</title>"), { said });
    expect(facts).toMatchObject({ type: "text/html", image: undefined, damage: undefined });
  });
});

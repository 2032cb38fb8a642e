import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLinkBook } from "../../src/api/links.ts";
import { sha256 } from "../../src/lib/digest.ts";
import { isCut } from "../../src/media/cut.ts";
import { fileOf, id, imageOf, picture, useStage } from "./fixture.ts";

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const payload = Buffer.alloc(3_000, "abcdefghij");

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** ISO/IEC 14496-12, 4.2. */
const box = (type: string, content: Buffer, size = content.length + 8): Buffer =>
  Buffer.concat([uint32(size), latin1(type), content]);
const largeBox = (type: string, content: Buffer): Buffer =>
  Buffer.concat([uint32(1), latin1(type), uint32(0), uint32(content.length + 16), content]);
const brand = box("ftyp", latin1("isom\0\0\0\0isom"));
const mp4 = (...boxes: Buffer[]): Buffer => Buffer.concat([brand, ...boxes]);

const pdf = Buffer.concat([latin1("%PDF-1.4\n"), payload, latin1("\nstartxref\n9\n%%EOF\n")]);

/** One stored entry and the central directory, as APPNOTE.TXT (4.3) has them, with a comment behind. */
function zip(comment = ""): Buffer {
  const name = latin1("a.txt");
  const local = [latin1("PK\x03\x04"), Buffer.alloc(22), Buffer.from([5, 0, 0, 0]), name, payload];
  const central = [latin1("PK\x01\x02"), Buffer.alloc(42), name];
  const length = Buffer.from([comment.length, 0]);
  const end = [latin1("PK\x05\x06"), Buffer.alloc(16), length, latin1(comment)];
  return Buffer.concat([...local, ...central, ...end]);
}

function riff(size: number): Buffer {
  const length = uint32(size).reverse();
  return Buffer.concat([latin1("RIFF"), length, latin1("WAVEfmt "), payload]);
}

/** Pages of RFC 3533, 6, by their flags. */
function ogg(...flags: number[]): Buffer {
  const lengths = [...Array(11).fill(255), payload.length - 11 * 255];
  const page = (flag: number): Buffer[] => [
    latin1("OggS\0"),
    Buffer.from([flag]),
    Buffer.alloc(20),
    Buffer.from([lengths.length, ...lengths]),
    payload,
  ];
  return Buffer.concat(flags.flatMap(page));
}

/** An EBML header (RFC 8794) and a segment, whose size is written in eight bytes. */
function matroska(size: bigint): Buffer {
  const header = latin1("\x1a\x45\xdf\xa3\x87\x42\x82\x84webm");
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(size | (1n << 56n));
  return Buffer.concat([header, latin1("\x18\x53\x80\x67"), length, payload]);
}
const unknownSize = (1n << 56n) - 1n;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-cut-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function cutOf(type: string, bytes: Buffer): Promise<boolean> {
  const path = join(folder, "file");
  writeFileSync(path, bytes);
  return await isCut(path, type);
}

const opendocument = "application/vnd.oasis.opendocument.text";
const spreadsheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const film = mp4(box("moov", payload), box("mdat", payload));

const whole: [string, string, Buffer][] = [
  ["a PDF", "application/pdf", pdf],
  ["a PDF with lines behind its end", "application/pdf", Buffer.concat([pdf, latin1("\n\n")])],
  ["a ZIP", "application/zip", zip()],
  ["a ZIP with a comment", "application/zip", zip("made by hand")],
  ["a text document", opendocument, zip()],
  ["a table", spreadsheet, zip()],
  ["a book", "application/epub+zip", zip()],
  ["an MP4", "video/mp4", film],
  ["an MP4 whose index comes last", "video/mp4", mp4(box("mdat", payload), box("moov", payload))],
  ["an MP4 with a large box", "video/mp4", mp4(box("moov", payload), largeBox("mdat", payload))],
  ["a QuickTime film", "video/quicktime", film],
  ["an M4A", "audio/mp4", film],
  ["a HEIC", "image/heic", mp4(box("meta", payload), box("mdat", payload))],
  ["a WAV", "audio/wav", riff(payload.length + 8)],
  ["an AVI", "video/x-msvideo", riff(payload.length + 8)],
  ["an Ogg", "audio/ogg", ogg(2, 0, 0, 4)],
  ["a WebM", "video/webm", matroska(BigInt(payload.length))],
  ["a Matroska film", "video/x-matroska", matroska(BigInt(payload.length))],
];

describe("a file that is cut", () => {
  it.each(whole)("is known: %s", async (_, type, bytes) => {
    expect(await cutOf(type, bytes)).toBe(false);
    for (const share of [0.5, 0.6, 0.9]) {
      const cut = bytes.subarray(0, Math.floor(bytes.length * share));
      expect(await cutOf(type, cut), String(share)).toBe(true);
    }
  });

  it.each<[string, string, Buffer]>([
    ["an MP4 whose last box reaches to the end", "video/mp4", mp4(box("mdat", payload, 0))],
    ["a WAV of a writer that did not go back", "audio/wav", riff(0xffffffff)],
    ["a WAV without a size", "audio/wav", riff(0)],
    ["a WAV that says less than it has", "audio/wav", riff(100)],
    ["a WebM that was recorded live", "video/webm", matroska(unknownSize)],
    ["an MP3", "audio/mpeg", payload],
    ["a text", "text/plain", payload],
    ["a table in CSV", "text/csv", payload],
    ["what nobody knows", "application/octet-stream", payload],
  ])("is not told apart where the format does not: %s", async (_, type, bytes) => {
    expect(await cutOf(type, bytes)).toBe(false);
    expect(await cutOf(type, bytes.subarray(0, 1_500))).toBe(false);
  });

  it.each([8, 7, 2 ** 32 - 1, 1, 3])("costs nothing where it lies: boxes of %i", async (size) => {
    const boxes = Array<Buffer>(5_000).fill(Buffer.concat([uint32(size), latin1("free")]));
    expect(typeof (await cutOf("video/mp4", mp4(...boxes)))).toBe("boolean");
    const segment = Buffer.concat([latin1("\x1a\x45\xdf\xa3"), uint32(size)]);
    expect(typeof (await cutOf("video/webm", segment))).toBe("boolean");
  });

  it("is none of what other programs wrote", async () => {
    const red = sharp({ create: { width: 64, height: 64, channels: 3, background: "red" } });
    expect(await cutOf("image/webp", await red.clone().webp().toBuffer())).toBe(false);
    expect(await cutOf("image/avif", await red.clone().avif().toBuffer())).toBe(false);
    const path = join(folder, "of-python.zip");
    const script = "import zipfile, sys; zipfile.ZipFile(sys.argv[1], 'w').writestr('a', 'b')";
    execFileSync("python3", ["-c", script, path]);
    expect(await isCut(path, "application/zip")).toBe(false);
  });
});

describe("a file that the origin sends cut, each time, with a fitting length", () => {
  const stage = useStage();
  const cut = (bytes: Buffer): Buffer => bytes.subarray(0, Math.floor(bytes.length * 0.6));
  const same = (bytes: Buffer): Buffer => bytes;

  /** An origin with an image, a document and a video, what it makes of their bytes, and the size in their records. */
  async function begin(change: (bytes: Buffer) => Buffer = same, filesize?: number) {
    const image = await picture(1, 640, 480);
    const files = new Map([
      [id(100), image],
      [id(200), pdf],
      [id(300), film],
    ]);
    const server = { change };
    const size = (bytes: Buffer) => ({ filesize: filesize ?? bytes.length });
    const parts = {
      images: [await imageOf(100, image, size(image))],
      documents: [{ ...fileOf(200, "application/pdf", pdf), ...size(pdf) }],
      videos: [{ ...fileOf(300, "video/mp4", film), ...size(film) }],
    };
    await stage.start(parts, {
      intercept(request, response) {
        const bytes = files.get(/([0-9a-f-]{36})\/download/.exec(request.url ?? "")?.[1] ?? "");
        if (bytes === undefined) return false;
        const sent = server.change(bytes);
        response.setHeader("content-length", sent.length);
        response.setHeader("etag", `"${sha256(sent)}"`);
        response.end(sent);
        return true;
      },
    });
    const config = stage.configOf({ crawl: { refreshShare: 1 } });
    let round = 0;
    const night = async () => {
      const links = createLinkBook();
      return await stage.media(config, await stage.crawl(config, links), { links, round: round++ });
    };
    const kinds = ["images", "documents", "videos"] as const;
    const kept = () =>
      kinds.map((kind, at) => stage.store.media.get(kind, id(100 * (at + 1)))?.original.blob);
    return { server, night, kept };
  }

  it.each([
    ["to 60 %", cut],
    ["to a tenth", (bytes: Buffer) => bytes.subarray(0, bytes.length / 10)],
    ["of its last bytes", (bytes: Buffer) => bytes.subarray(0, -30)],
  ])("%s is a gap, and the last good original stays", async (_, change) => {
    const { server, night, kept } = await begin();
    expect((await night()).problems).toEqual([]);
    const good = kept();
    server.change = change;
    // A file has its turn every second time; one that failed is asked for each night.
    await night();
    for (let n = 0; n < 2; n++) {
      const { problems } = await night();
      const subjects = [`document ${id(200)}`, `image ${id(100)}`, `video ${id(300)}`];
      expect(problems.map(({ subject }) => subject).sort()).toEqual(subjects);
      for (const { reason } of problems) {
        expect(reason).toMatch(/bytes, the record says \d+ \(kept the previous original\)$/);
      }
      expect(kept()).toEqual(good);
    }
    server.change = same;
    expect((await night()).problems).toEqual([]);
  });

  it("is no file of a first night", async () => {
    const { night, kept } = await begin(cut);
    expect((await night()).problems).toHaveLength(3);
    expect(kept()).toEqual([undefined, undefined, undefined]);
  });

  it.each<[string, (bytes: Buffer) => Buffer, number | undefined]>([
    ["whole, and of another size than its record says", same, 1_000_000],
    ["cut, where the record says no size", cut, 0],
    [
      "damaged at the origin, whose sizes are whole kilobytes",
      (bytes) => bytes.subarray(0, 700),
      1_000,
    ],
    [
      "damaged at the origin, whose sizes are whole KiB",
      (bytes) => bytes.subarray(0, 1_500),
      2_048,
    ],
  ])("is odd and kept where it is %s", async (_, change, filesize) => {
    const { night, kept } = await begin(change, filesize);
    expect((await night()).problems).toEqual([]);
    expect(kept()).not.toContain(undefined);
  });

  it("is odd and kept where no size of this origin is right", async () => {
    const { server, night, kept } = await begin(same, 1_000_000);
    await night();
    const good = kept();
    server.change = cut;
    await night();
    expect((await night()).problems).toEqual([]);
    expect(kept()).not.toEqual(good);
  });
});

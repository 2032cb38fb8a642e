// A photographer's camera, which writes where each picture was taken, by whom and when, into a file that is published.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { namesPlace, type Unwanted, withoutMetadata } from "../../../src/media/metadata.ts";
import { found, requireProgram } from "../../support/programs.ts";

let folder: string;
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-metadata-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const formats = ["jpeg", "png", "webp"] as const;
type Format = (typeof formats)[number];

/** Each value is a canary: none may be left by "all", and those of places by neither. */
const told = {
  EXIF: ["-GPSLatitude=48.2", "-GPSLatitudeRef=N", "-GPSLongitude=16.37", "-GPSLongitudeRef=E"],
  owner: ["-EXIF:Artist=canary-owner", "-EXIF:Make=canary-make", "-EXIF:OwnerName=canary-name"],
  XMP: [
    "-XMP-photoshop:City=canary-city",
    "-XMP-exif:GPSLatitude=48.2",
    "-XMP-dc:Creator=canary-x",
  ],
  IPTC: ["-IPTC:City=canary-town", "-IPTC:By-line=canary-line"],
  other: ["-Comment=canary-comment"],
};

function tellsOf(path: string): Record<string, unknown> {
  const out = execFileSync("exiftool", ["-j", "-G1", "-a", "-u", "-ee", path], {
    encoding: "utf8",
  });
  return JSON.parse(out)[0];
}

/** A picture with everything that exiftool can write into its format. */
async function camera(format: Format, orientation: number, more: string[] = []): Promise<Buffer> {
  const path = join(folder, `${count++}.${format}`);
  const noise = { type: "gaussian" as const, mean: 128, sigma: 40 };
  const create = { width: 60, height: 40, channels: 3 as const, background: "#888", noise };
  await sharp({ create }).withIccProfile("p3").toFormat(format).toFile(path);
  const tags = Object.values(told).flat();
  const exif = [`-IFD0:Orientation#=${orientation}`, "-GPSVersionID=2 3 0 0"];
  execFileSync("exiftool", ["-q", "-m", "-overwrite_original", ...exif, ...tags, ...more, path], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  return readFileSync(path);
}

async function pixelsOf(bytes: Buffer): Promise<Buffer> {
  return await sharp(bytes, { animated: true }).raw().toBuffer();
}

requireProgram("exiftool");

describe.skipIf(!found("exiftool"))("a picture", () => {
  const cases = formats.flatMap((format) =>
    (["all", "location"] as const).map((what) => [format, what, 6] as const),
  );
  it.each(cases)("in %s without %s, orientation %i", async (format, what, orientation) => {
    const original = await camera(format, orientation);
    const before = tellsOf(join(folder, `${count - 1}.${format}`));
    expect(JSON.stringify(before)).toMatch(/canary-city/);
    const made = withoutMetadata(original, `image/${format}`, what) as Buffer;
    const path = join(folder, `made-${count}.${format}`);
    writeFileSync(path, made);
    const after = tellsOf(path);
    const text = JSON.stringify(after);
    expect(
      Object.keys(after).filter((key) => /GPS|XMP|IPTC|Photoshop|City|Comment/.test(key)),
    ).toEqual([]);
    expect(after["ExifTool:Warning"]).toBeUndefined();
    expect(made.toString("latin1")).not.toMatch(/canary-(?:city|town|line|x|comment)/);
    for (const owner of ["canary-owner", "canary-make", "canary-name"]) {
      expect(text.includes(owner), owner).toBe(what === "location");
    }
    expect(await pixelsOf(made)).toEqual(await pixelsOf(original));
    const [was, is] = [await sharp(original).metadata(), await sharp(made).metadata()];
    expect(is.autoOrient).toEqual(was.autoOrient);
    expect(is.icc).toEqual(was.icc);
    expect(withoutMetadata(made, `image/${format}`, what)).toEqual(made);
    expect(namesPlace(was)).toBe(true);
    expect(namesPlace(is)).toBe(false);
  });

  it("in JPEG hides nothing behind its end, between its scans, or in segments of makers", async () => {
    const plain = await sharp(await camera("jpeg", 1))
      .jpeg({ progressive: true })
      .toBuffer();
    const exif = await sharp({ create: { width: 1, height: 1, channels: 3, background: "#fff" } })
      .withExif({ IFD3: { GPSLatitude: "48/1 12/1 0/1", GPSLatitudeRef: "N" } })
      .jpeg()
      .toBuffer();
    const segment = (marker: number, text: string): Buffer => {
      const head = Buffer.from([0xff, marker, 0, 0]);
      head.writeUInt16BE(2 + text.length, 2);
      return Buffer.concat([head, Buffer.from(text)]);
    };
    const secondScan = plain.indexOf(
      Buffer.from([0xff, 0xda]),
      plain.indexOf(Buffer.from([0xff, 0xda])) + 2,
    );
    const made = withoutMetadata(
      Buffer.concat([
        plain.subarray(0, 2),
        segment(0xe4, "canary maker"),
        segment(0xe2, "MPF\0 canary"),
        segment(0xe1, "http://ns.adobe.com/xmp/extension/\0canary"),
        segment(0xe1, "EXIF\0\0canary"),
        segment(0xe0, "JFXX\0canary"),
        plain.subarray(2, secondScan),
        segment(0xfe, "canary"),
        segment(0xe1, "Exif\0\0canary"),
        plain.subarray(secondScan),
        exif,
        Buffer.from("canary of a film behind the picture"),
      ]),
      "image/jpeg",
      "location",
    ) as Buffer;
    expect(made).toEqual(withoutMetadata(plain, "image/jpeg", "all"));
    expect(made.toString("latin1")).not.toMatch(/canary|Exif/);
    expect(await pixelsOf(made)).toEqual(await pixelsOf(plain));
  });

  it("keeps the rest of its EXIF as it was, thumbnails and other directories too", async () => {
    const more = [
      "-ExposureTime=1/60",
      "-ISO=400",
      "-EXIF:Copyright=canary-right",
      "-MakerNoteUnknownText=canary-maker",
    ];
    const original = await camera("jpeg", 6, more);
    const before = tellsOf(join(folder, `${count - 1}.jpeg`));
    const path = join(folder, "kept.jpeg");
    writeFileSync(path, withoutMetadata(original, "image/jpeg", "location") as Buffer);
    const after = tellsOf(path);
    const exif = (tells: Record<string, unknown>) =>
      Object.entries(tells).filter(
        ([key]) => /^(?:IFD[01]|ExifIFD|InteropIFD):/.test(key) && !/MakerNote/.test(key),
      );
    expect(exif(after)).toEqual(exif(before));
    expect(exif(after).length).toBeGreaterThan(8);
  });
});

describe("names a place", () => {
  const xmp = (text: string) => ({ xmp: Buffer.from(text) });
  it.each([
    ["GPS in XMP", xmp('<rdf:Description exif:GPSLatitude="48,12N"/>'), true],
    ["a city as an element", xmp("<photoshop:City>Wien</photoshop:City>"), true],
    ["a created location", xmp('<Iptc4xmpExt:LocationCreated rdf:parseType="Resource">'), true],
    ["UTF-16", { xmp: Buffer.from('<a photoshop:State="W"/>', "utf16le") }, true],
    ["a city in IPTC", { iptc: Buffer.from("\x1c\x02\x5a\0\x04Wien", "latin1") }, true],
    ["a creator", xmp("<dc:creator>City Desk</dc:creator>"), false],
    ["a byline", { iptc: Buffer.from("\x1c\x02\x50\0\x04Anna", "latin1") }, false],
    ["nothing", {}, false],
    ["damaged EXIF", { exif: Buffer.from("Exif\0\0II*\0\xff\xff\xff\xff", "latin1") }, false],
  ])("%s", (_, blocks, is) => expect(namesPlace(blocks)).toBe(is));
});

describe("a damaged file", () => {
  it("is taken apart to its end, or not at all, whatever its bytes", async () => {
    const samples = await Promise.all(
      formats.map(async (format) => {
        const bytes = found("exiftool")
          ? await camera(format, 6)
          : await sharp({ create: { width: 9, height: 9, channels: 3, background: "#fff" } })
              .toFormat(format)
              .toBuffer();
        return [`image/${format}`, bytes] as const;
      }),
    );
    const changes = fc.array(fc.tuple(fc.nat(4_000), fc.integer({ min: 0, max: 255 })), {
      maxLength: 20,
    });
    const any = fc.tuple(
      fc.constantFrom(...samples),
      fc.constantFrom<Unwanted>("all", "location"),
      changes,
      fc.nat(4_000),
    );
    fc.assert(
      fc.property(any, ([[type, sample], what, changed, cut]) => {
        const bytes = Buffer.from(sample.subarray(0, cut % 3 === 0 ? cut : sample.length));
        for (const [at, value] of changed) if (at < bytes.length) bytes[at] = value;
        const made = withoutMetadata(bytes, type, what);
        if (made) expect(withoutMetadata(made, type, what)?.equals(made)).toBe(true);
        namesPlace({ exif: bytes, xmp: bytes, iptc: bytes });
        namesPlace({ exif: bytes.subarray(bytes.indexOf("MM\0*")) });
      }),
      { numRuns: 1_000, seed: 20 },
    );
  });

  it("of another type has no copy", () => {
    expect(withoutMetadata(Buffer.from("II*\0"), "image/tiff", "all")).toBeUndefined();
    expect(withoutMetadata(Buffer.from("GIF89a"), "image/gif", "location")).toBeUndefined();
    expect(withoutMetadata(Buffer.alloc(0), "image/jpeg", "all")).toBeUndefined();
  });
});

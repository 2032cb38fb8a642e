import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeRenditions } from "../../src/media/encode.ts";
import { inspectFile } from "../../src/media/inspect.ts";

/*
 * What the pixels of renditions are, for originals of each depth and colour space. The expected colours are those of
 * CSS Color 4 (section 10): Display P3 to sRGB by its matrices.
 */

let folder: string;
/** ICC profiles, by the names that sharp has for them. */
let profiles: Record<"p3" | "srgb", Buffer>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-colours-"));
  const profileOf = async (name: "p3" | "srgb"): Promise<Buffer> => {
    const bytes = await flat(1, 2, 3).withIccProfile(name).png().toBuffer();
    return (await sharp(bytes).metadata()).icc as Buffer;
  };
  profiles = { p3: await profileOf("p3"), srgb: await profileOf("srgb") };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function flat(r: number, g: number, b: number): Sharp {
  return sharp({ create: { width: 64, height: 64, channels: 3, background: { r, g, b } } });
}

/** PNG 1.2, section 4.2.2.4: a profile stands in front of the pixels, which stay as they are. */
function withProfile(png: Buffer, profile: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from("iCCPicc\0\0"), deflateSync(profile)]);
  const chunk = Buffer.alloc(content.length + 8);
  chunk.writeUInt32BE(content.length - 4, 0);
  content.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(content), content.length + 4);
  const header = 8 + 25;
  return Buffer.concat([png.subarray(0, header), chunk, png.subarray(header)]);
}

/** The pixel in the middle of a rendition. */
async function shown(bytes: Buffer): Promise<number[]> {
  const path = join(folder, "original");
  writeFileSync(path, bytes);
  const { image } = await inspectFile(path);
  if (image === undefined) throw new Error("no picture");
  const plan = {
    slots: [],
    width: 32,
    height: 32,
    crop: false,
    region: { left: 0, top: 0, width: 64, height: 64 },
    formats: ["jpeg" as const],
  };
  const settings = { quality: { jpeg: 100, webp: 100, avif: 100 }, limitPixels: 1e6 };
  const { value } = await encodeRenditions({ path, image, plans: [plan], settings }).next();
  if (typeof value !== "object") throw new Error("no rendition");
  const { data, info } = await sharp(value.bytes).raw().toBuffer({ resolveWithObject: true });
  return [...data.subarray(0, info.channels)];
}

const deep = (picture: Sharp): Promise<Buffer> =>
  picture.toColourspace("rgb16").png({ adaptiveFiltering: false }).toBuffer();
const shallow = (picture: Sharp): Promise<Buffer> => picture.png().toBuffer();

describe("a rendition is sRGB", () => {
  it.each<[string, () => Promise<Buffer>, number[]]>([
    ["8 bits, no profile", () => shallow(flat(192, 48, 48)), [192, 48, 48]],
    ["16 bits, no profile", () => deep(flat(192, 48, 48)), [192, 48, 48]],
    [
      "8 bits, sRGB",
      async () => withProfile(await shallow(flat(192, 48, 48)), profiles.srgb),
      [192, 48, 48],
    ],
    [
      "16 bits, sRGB",
      async () => withProfile(await deep(flat(192, 48, 48)), profiles.srgb),
      [192, 48, 48],
    ],
    [
      "8 bits, Display P3",
      async () => withProfile(await shallow(flat(176, 60, 54)), profiles.p3),
      fromP3(176, 60, 54),
    ],
    [
      "16 bits, Display P3",
      async () => withProfile(await deep(flat(176, 60, 54)), profiles.p3),
      fromP3(176, 60, 54),
    ],
    ["grey of 8 bits", () => flat(90, 90, 90).toColourspace("b-w").png().toBuffer(), [90, 90, 90]],
    [
      "grey of 16 bits",
      () => flat(90, 90, 90).toColourspace("grey16").png().toBuffer(),
      [90, 90, 90],
    ],
    ...([8, 16] as const).map((bits): [string, () => Promise<Buffer>, number[]] => [
      `${bits} bits, Adobe RGB (1998)`,
      async () => {
        const picture = flat(150, 110, 90);
        return withProfile(
          await (bits === 8 ? shallow(picture) : deep(picture)),
          profileOf(adobeRgb),
        );
      },
      fromA98(150, 110, 90),
    ]),
    [
      "16 bits, ProPhoto",
      async () => withProfile(await deep(flat(120, 100, 90)), profileOf(proPhoto)),
      fromProPhoto(120, 100, 90),
    ],
    ["a palette", () => flat(192, 48, 48).png({ palette: true }).toBuffer(), [192, 48, 48]],
    [
      "an AVIF of 12 bits",
      () => flat(192, 48, 48).avif({ bitdepth: 12, quality: 100 }).toBuffer(),
      [192, 48, 48],
    ],
    [
      "a TIFF of 16 bits, sRGB",
      () => flat(192, 48, 48).toColourspace("rgb16").withIccProfile("srgb").tiff().toBuffer(),
      [192, 48, 48],
    ],
  ])("of an original of %s", async (_, original, expected) => {
    const pixel = await shown(await original());
    for (const [at, value] of expected.entries()) {
      expect(Math.abs((pixel[at] ?? pixel[0] ?? 0) - value), `${pixel}`).toBeLessThanOrEqual(2);
    }
  });

  it("of an original for print, whose red is no longer that of a screen", async () => {
    const [r = 0, g = 0, b = 0] = await shown(
      await flat(192, 48, 48)
        .toColourspace("cmyk")
        .withIccProfile("cmyk")
        .jpeg({ quality: 100 })
        .toBuffer(),
    );
    for (const [value, wanted] of [
      [r, 192],
      [g, 48],
      [b, 48],
    ] as const) {
      expect(Math.abs(value - wanted)).toBeLessThanOrEqual(16);
    }
  });
});

/** CSS Color 4, to sRGB: both spaces have its transfer function. */
function fromP3(...p3: number[]): number[] {
  const linear = p3.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return fromLinear(linear, [
    [1.2249401762805598, -0.22494017628055996, 0],
    [-0.042056954709688163, 1.0420569547096881, 0],
    [-0.019637554590334432, -0.078636045550631889, 1.0982736001409663],
  ]);
}

/** CSS Color 4: a98-rgb, whose product with the matrix of XYZ to sRGB is written out. */
function fromA98(...a98: number[]): number[] {
  const linear = a98.map((value) => (value / 255) ** (563 / 256));
  return fromLinear(linear, [
    [1.3983556544, -0.3983556544, 0],
    [0, 1, 0],
    [0, -0.0429289893, 1.0429289893],
  ]);
}

function fromLinear(linear: number[], matrix: number[][]): number[] {
  return matrix.map((row) => {
    const value = row.reduce((sum, factor, at) => sum + factor * (linear[at] ?? 0), 0);
    const coded = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
    return Math.round(coded * 255);
  });
}

/** CSS Color 4: prophoto-rgb above its linear beginning, from D50 to D65 to sRGB. */
function fromProPhoto(...proPhoto: number[]): number[] {
  const linear = proPhoto.map((value) => (value / 255) ** 1.8);
  const [toXyz, toD65, toSrgb] = [
    [
      [0.7977666449, 0.1351812974, 0.0313477341],
      [0.2880748288, 0.7118352342, 0.0000899369],
      [0, 0, 0.8251046025],
    ],
    [
      [0.9554734215, -0.0230984549, 0.0632592432],
      [-0.0283697093, 1.0099953981, 0.0210414412],
      [0.0123140149, -0.0205076493, 1.3303659262],
    ],
    [
      [3.2409699419, -1.5373831776, -0.4986107603],
      [-0.9692436363, 1.8759675015, 0.0415550574],
      [0.0556300797, -0.2039769589, 1.0569715142],
    ],
  ];
  const times = (matrix: number[][], vector: number[]): number[] =>
    matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * (vector[at] ?? 0), 0));
  return fromLinear(times(toD65, times(toXyz, linear)), toSrgb);
}

interface Space {
  /** XYZ of red, green and blue, for D50. */
  colorants: [string, number[]][];
  /** In 256ths. */
  gamma: number;
}

/** "Adobe RGB (1998) Color Image Encoding", 4.3.6.1. */
const adobeRgb: Space = {
  colorants: [
    ["rXYZ", [0.60974, 0.31111, 0.01947]],
    ["gXYZ", [0.20528, 0.62567, 0.06087]],
    ["bXYZ", [0.14919, 0.06322, 0.74457]],
  ],
  gamma: 563,
};

/** ROMM RGB, ANSI/I3A IT10.7666: the columns of the matrix above. */
const proPhoto: Space = {
  colorants: [
    ["rXYZ", [0.79777, 0.28807, 0]],
    ["gXYZ", [0.13518, 0.71184, 0]],
    ["bXYZ", [0.03135, 0.00009, 0.8251]],
  ],
  gamma: 461,
};

/** An ICC profile (ICC.1:2001-04) of a monitor. */
function profileOf({ colorants, gamma }: Space): Buffer {
  const fixed = (values: number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4);
    for (const [at, value] of values.entries())
      bytes.writeInt32BE(Math.round(value * 65_536), at * 4);
    return bytes;
  };
  const white = [0.9642, 1, 0.82491];
  const xyz = (values: number[]): Buffer =>
    Buffer.concat([Buffer.from("XYZ \0\0\0\0", "latin1"), fixed(values)]);
  // One value of 8.8 bits, and two bytes up to the next tag.
  const curve = Buffer.from("curv\0\0\0\0\0\0\0\x01\0\0\0\0", "latin1");
  curve.writeUInt16BE(gamma, 12);
  const tags: [string, Buffer][] = [
    ...[...colorants, ["wtpt", white] as const].map(([name, values]): [string, Buffer] => [
      name,
      xyz(values),
    ]),
    ["rTRC", curve],
    ["gTRC", curve],
    ["bTRC", curve],
  ];
  let offset = 128 + 4 + tags.length * 12;
  const table = tags.map(([name, { length }]) => {
    const entry = Buffer.from(`${name}\0\0\0\0\0\0\0\0`, "latin1");
    entry.writeUInt32BE(offset, 4);
    entry.writeUInt32BE(length, 8);
    offset += length;
    return entry;
  });
  const head = Buffer.alloc(132);
  head.writeUInt32BE(offset, 0);
  head.writeUInt32BE(0x02400000, 8);
  head.write("mntrRGB XYZ ", 12, "latin1");
  head.write("acsp", 36, "latin1");
  fixed(white).copy(head, 68);
  head.writeUInt32BE(tags.length, 128);
  return Buffer.concat([head, ...table, ...tags.map(([, data]) => data)]);
}

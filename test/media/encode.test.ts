import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Config, ConfigSchema, type ImageFormat } from "../../src/config.ts";
import { DecodeError, type Encoded, encodeRenditions } from "../../src/media/encode.ts";
import { inspectFile } from "../../src/media/inspect.ts";
import { planVariants } from "../../src/media/variants.ts";
import type { Scaling } from "../../src/routes/slots.ts";
import { slotOf } from "../../src/routes/slots.ts";

const { media } = ConfigSchema.parse({ origin: { baseUrl: "https://media.example.org/api" } });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-encode-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function fileOf(bytes: Buffer | string): string {
  const path = join(folder, `original-${++files}`);
  writeFileSync(path, bytes);
  return path;
}

async function renditions(
  bytes: Buffer | string,
  settings: Partial<Config["media"]> = {},
  onWarning?: (warning: string) => void,
): Promise<Encoded[]> {
  const path = fileOf(bytes);
  const { image, damage } = await inspectFile(path);
  if (image === undefined) throw new DecodeError(damage ?? "no image");
  const all = { ...media, ...settings };
  const encoded: Encoded[] = [];
  const task = { path, image, plans: planVariants(image, all), settings: all };
  for await (const one of encodeRenditions(task, onWarning)) encoded.push(one);
  return encoded;
}

/** The decoded pixels of what answers one scaling. */
async function rendition(
  bytes: Buffer | string,
  scaling: Scaling,
  format: ImageFormat = "jpeg",
): Promise<Pixels> {
  const variants = scaling.thumb === undefined && slotOf(scaling) !== "web" ? [scaling] : [];
  const formats = ["jpeg", format] as ImageFormat[];
  const found = (await renditions(bytes, { variants, formats })).find(
    (one) => one.format === format && one.plan.slots.includes(slotOf(scaling)),
  );
  if (found === undefined) throw new Error(`no ${slotOf(scaling)} in ${format}`);
  return await pixelsOf(found.bytes);
}

interface Pixels {
  width: number;
  height: number;
  channels: number;
  at(x: number, y: number): number[];
}

async function pixelsOf(bytes: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return {
    width,
    height,
    channels,
    at: (x, y) => [...data.subarray((y * width + x) * channels, (y * width + x + 1) * channels)],
  };
}

const colours = {
  red: [220, 30, 30],
  green: [30, 160, 30],
  blue: [30, 30, 220],
  yellow: [230, 220, 20],
  white: [255, 255, 255],
  black: [0, 0, 0],
};
type Colour = keyof typeof colours;

function expectColour(pixel: number[], colour: Colour | number[], tolerance = 14): void {
  const wanted = typeof colour === "string" ? colours[colour] : colour;
  for (const [index, value] of wanted.entries()) {
    expect(Math.abs((pixel[index] ?? -1) - value), `${pixel} is ${colour}`).toBeLessThanOrEqual(
      tolerance,
    );
  }
}

/** Red, green, blue, yellow quadrants (clockwise from the top left: red, green, yellow, blue) and a black mark in the middle. */
function quadrants(width: number, height: number, mark = 0): Sharp {
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const inMark =
        Math.abs(x + 0.5 - width / 2) < mark / 2 && Math.abs(y + 0.5 - height / 2) < mark / 2;
      const colour: Colour = inMark
        ? "black"
        : y < height / 2
          ? x < width / 2
            ? "red"
            : "green"
          : x < width / 2
            ? "blue"
            : "yellow";
      data.set(colours[colour], (y * width + x) * 3);
    }
  }
  return sharp(data, { raw: { width, height, channels: 3 } });
}

const png = (image: Sharp): Promise<Buffer> => image.png().toBuffer();

function expectQuadrants(
  { width, height, at }: Pixels,
  [a, b, c, d]: readonly Colour[] = ["red", "green", "blue", "yellow"],
): void {
  const [x1, x2, y1, y2] = [width * 0.2, width * 0.8, height * 0.2, height * 0.8].map(Math.floor);
  expectColour(at(x1 as number, y1 as number), a as Colour);
  expectColour(at(x2 as number, y1 as number), b as Colour);
  expectColour(at(x1 as number, y2 as number), c as Colour);
  expectColour(at(x2 as number, y2 as number), d as Colour);
}

describe("the rules of scaling, in pixels", () => {
  let wide: Buffer;
  beforeAll(async () => {
    wide = await png(quadrants(900, 600, 60));
  });

  it.each<[Scaling, number, number]>([
    [{ width: 300 }, 300, 200],
    [{ height: 300 }, 450, 300],
    [{ scale: 50 }, 450, 300],
    [{ scale: 10 }, 90, 60],
    [{ width: 301 }, 301, 201],
  ])("%o shows the whole picture in %i × %i", async (scaling, width, height) => {
    const image = await rendition(wide, scaling);
    expect([image.width, image.height]).toEqual([width, height]);
    expectQuadrants(image);
    expectColour(image.at(Math.floor(width / 2), Math.floor(height / 2)), "black");
  });

  it.each<[Scaling, number, number]>([
    [{ width: 2000 }, 900, 600],
    [{ height: 601 }, 900, 600],
    [{ width: 5000, height: 5000 }, 900, 600],
    [{}, 900, 600],
  ])("%o is never above the original", async (scaling, width, height) => {
    const image = await rendition(wide, scaling);
    expect([image.width, image.height]).toEqual([width, height]);
    expectQuadrants(image);
  });

  it.each<[Scaling, number, number]>([
    [{ width: 200, height: 200 }, 200, 200],
    [{ width: 300, height: 100 }, 300, 100],
    [{ width: 600, height: 600 }, 600, 600],
    [{ width: 2000, height: 300 }, 900, 300],
    [{ width: 100, height: 2000 }, 100, 600],
    [{ thumb: "square" }, 300, 300],
    [{ thumb: "portrait" }, 300, 400],
    [{ thumb: "landscape" }, 400, 300],
  ])("%o is cropped evenly from the centre to %i × %i", async (scaling, width, height) => {
    const image = await rendition(wide, scaling);
    expect([image.width, image.height]).toEqual([width, height]);
    expectQuadrants(image);
    // The mark in the middle of the original is in the middle, as far to the left as to the right.
    const [cx, cy] = [width / 2, height / 2];
    const across = reach((distance) => image.at(Math.floor(cx - distance), Math.floor(cy)));
    const back = reach((distance) => image.at(Math.ceil(cx + distance) - 1, Math.floor(cy)));
    const up = reach((distance) => image.at(Math.floor(cx), Math.floor(cy - distance)));
    const down = reach((distance) => image.at(Math.floor(cx), Math.ceil(cy + distance) - 1));
    expect(Math.abs(across - back)).toBeLessThanOrEqual(1);
    expect(Math.abs(up - down)).toBeLessThanOrEqual(1);
    const scale = Math.max(width / 900, height / 600);
    expect(Math.abs(across + back - 60 * scale)).toBeLessThanOrEqual(3);
  });

  /** Pixels from the centre to the end of the dark mark. */
  function reach(at: (distance: number) => number[]): number {
    let distance = 1;
    while (distance < 60 && at(distance).every((value) => value < 110)) distance++;
    return distance - 1;
  }

  it("crops a tall picture at its top and bottom", async () => {
    const image = await rendition(await png(quadrants(300, 900, 30)), { width: 300, height: 300 });
    expectQuadrants(image);
  });

  it("has at least one pixel on each side", async () => {
    const image = await rendition(await png(quadrants(2000, 4)), { width: 100 });
    expect([image.width, image.height]).toEqual([100, 1]);
  });
});

describe("what an original can be like", () => {
  // EXIF orientation, and where its tag puts the stored quadrants.
  it.each<[number, readonly Colour[]]>([
    [1, ["red", "green", "blue", "yellow"]],
    [2, ["green", "red", "yellow", "blue"]],
    [3, ["yellow", "blue", "green", "red"]],
    [4, ["blue", "yellow", "red", "green"]],
    [5, ["red", "blue", "green", "yellow"]],
    [6, ["blue", "red", "yellow", "green"]],
    [7, ["yellow", "green", "blue", "red"]],
    [8, ["green", "yellow", "red", "blue"]],
  ])("orientation %i is applied", async (orientation, expected) => {
    const original = await quadrants(400, 200).withMetadata({ orientation }).jpeg().toBuffer();
    const image = await rendition(original, { scale: 50 });
    expect([image.width, image.height]).toEqual(orientation < 5 ? [200, 100] : [100, 200]);
    expectQuadrants(image, expected);
    const box = await rendition(original, { width: 90, height: 90 });
    expectQuadrants(box, expected);
  });

  it("keeps what is transparent in WebP and AVIF, and puts it on white in JPEG", async () => {
    const original = await png(
      sharp({
        create: {
          width: 200,
          height: 100,
          channels: 4,
          background: { r: 0, g: 0, b: 255, alpha: 0 },
        },
      }).composite([{ input: await png(quadrants(100, 100)), left: 0, top: 0 }]),
    );
    const jpeg = await rendition(original, { width: 100 });
    expect(jpeg.channels).toBe(3);
    expectColour(jpeg.at(90, 25), "white");
    expectColour(jpeg.at(10, 10), "red");
    for (const format of ["webp", "avif"] as const) {
      const image = await rendition(original, { width: 100 }, format);
      expect(image.channels).toBe(4);
      expect(image.at(90, 25)[3]).toBeLessThan(10);
      expect(image.at(10, 10)[3]).toBeGreaterThan(245);
      expectColour(image.at(10, 10), "red", 25);
    }
  });

  it("turns CMYK into sRGB", async () => {
    const original = await quadrants(200, 200)
      .toColourspace("cmyk")
      .jpeg({ quality: 100 })
      .toBuffer();
    const image = await rendition(original, { width: 100 });
    expect(image.channels).toBe(3);
    // Print inks reach less of red and green than a screen; the hue is what counts.
    expectQuadrantHues(image);
  });

  it("turns 16 bits into 8", async () => {
    const original = await png(quadrants(200, 200).toColourspace("rgb16"));
    expect((await sharp(original).metadata()).depth).toBe("ushort");
    expectQuadrants(await rendition(original, { width: 100 }));
  });

  it("turns greyscale, with and without alpha, into sRGB", async () => {
    const grey = quadrants(200, 200).greyscale();
    for (const original of [
      await grey.clone().jpeg().toBuffer(),
      await png(grey.clone().ensureAlpha(1).toColourspace("b-w")),
    ]) {
      const image = await rendition(original, { width: 100 });
      const [r, g, b] = image.at(20, 20);
      expect(image.channels).toBe(3);
      expect([g, b]).toEqual([r, r]);
    }
  });

  it("applies an ICC profile, and leaves it out", async () => {
    const original = await quadrants(200, 200).withIccProfile("p3").png().toBuffer();
    const stored = await pixelsOf(await sharp(original, { ignoreIcc: true }).png().toBuffer());
    const [encoded] = await renditions(original, { variants: [{ width: 100 }] });
    const image = await rendition(original, { width: 100 });
    expect((await sharp(encoded?.bytes).metadata()).hasProfile).toBe(false);
    // Display P3 writes sRGB's red with less red and more green.
    expect(stored.at(20, 20)[0]).toBeLessThan(215);
    expectQuadrants(image);
  });

  it("shows the first frame of an animation", async () => {
    const frames = ["#dc1e1e", "#1e1edc"].map((background) => ({
      create: { width: 60, height: 60, channels: 3 as const, background },
    }));
    for (const format of ["gif", "webp"] as const) {
      const original = await sharp(
        await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer())),
        { join: { animated: true } },
      )
        .toFormat(format, { loop: 0, delay: [100, 100] })
        .toBuffer();
      const facts = await inspectFile(fileOf(original));
      expect(facts.image).toMatchObject({ width: 60, height: 60, pages: 2, animated: true });
      const image = await rendition(original, { width: 30 });
      expect([image.width, image.height]).toEqual([30, 30]);
      expectColour(image.at(15, 15), "red");
    }
  });

  it("draws an SVG at its own size at most", async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">
      <rect width="100" height="100" fill="rgb(220,30,30)"/></svg>`;
    const image = await rendition(svg, { width: 5000 });
    expect([image.width, image.height]).toEqual([200, 100]);
    expectColour(image.at(50, 50), "red");
    expectColour(image.at(150, 50), "white");
  });

  it("draws a huge SVG at 4096 pixels, without a detour over its own size", async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="200000" height="100000">
      <rect width="100000" height="100000" fill="rgb(220,30,30)"/></svg>`;
    const image = await rendition(svg, { width: 5000 });
    expect([image.width, image.height]).toEqual([4096, 2048]);
    expectColour(image.at(1000, 1000), "red");
  });

  it("lets no SVG read other files or hosts", async () => {
    const secret = join(folder, "secret.png");
    writeFileSync(secret, await png(quadrants(100, 100)));
    expect(existsSync(secret)).toBe(true);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
      width="100" height="100">
      <image href="secret.png" width="100" height="100"/>
      <image xlink:href="file://${secret}" width="100" height="100"/>
      <image href="http://127.0.0.1:9/x.png" width="100" height="100"/></svg>`;
    const image = await rendition(svg, { width: 50 });
    for (const [x, y] of [
      [10, 10],
      [40, 10],
      [10, 40],
      [40, 40],
    ] as const) {
      expectColour(image.at(x, y), "white", 2);
    }
  });

  it("expands no endless entities of an SVG", async () => {
    const levels = Array.from(
      { length: 20 },
      (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`,
    );
    const svg = `<!DOCTYPE svg [<!ENTITY a0 "aaaaaaaaaa">${levels.join("")}]>
      <svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><text>&a20;</text></svg>`;
    await renditions(svg).catch((error: unknown) => expect(error).toBeInstanceOf(DecodeError));
  });

  function expectQuadrantHues({ width, height, at }: Pixels): void {
    const places = [
      at(20, 20),
      at(width - 20, 20),
      at(20, height - 20),
      at(width - 20, height - 20),
    ];
    const [red, green, blue, yellow] = places as [number[], number[], number[], number[]];
    const strongest = (pixel: number[]): number => pixel.indexOf(Math.max(...pixel));
    expect([red, green, blue].map(strongest)).toEqual([0, 1, 2]);
    expect(Math.min(yellow[0] as number, yellow[1] as number)).toBeGreaterThan(
      2 * (yellow[2] as number),
    );
  }
});

describe("renditions", () => {
  it("carry no metadata", async () => {
    const original = await quadrants(400, 300)
      .withExif({
        IFD0: { Artist: "A. Person", Copyright: "C" },
        IFD3: { GPSLatitudeRef: "S", GPSLatitude: "36/1 50/1 0/1" },
      })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><a>secret place</a></x:xmpmeta>')
      .jpeg()
      .toBuffer();
    const source = await sharp(original).metadata();
    expect(source.exif && source.xmp).toBeTruthy();
    for (const { bytes } of await renditions(original, { formats: ["jpeg", "webp", "avif"] })) {
      const { exif, xmp, icc, iptc, orientation } = await sharp(bytes).metadata();
      expect({ exif, xmp, icc, iptc, orientation }).toEqual({});
      expect(bytes.includes("A. Person") || bytes.includes("secret place")).toBe(false);
    }
  });

  it("have the size that their plan says, in every format", async () => {
    const original = await png(quadrants(1700, 1100));
    const formats = ["jpeg", "webp", "avif"] as ImageFormat[];
    for (const { bytes, plan, format } of await renditions(original, { formats })) {
      const header = await sharp(bytes).metadata();
      expect(header).toMatchObject({ width: plan.width, height: plan.height });
      expect(header.format).toBe(format === "avif" ? "heif" : format);
    }
  });

  it("are the same bytes each time", async () => {
    const original = await quadrants(500, 400).jpeg().toBuffer();
    const [first, second] = [await renditions(original), await renditions(original)];
    expect(first.map(({ bytes }) => bytes)).toEqual(second.map(({ bytes }) => bytes));
  });

  it("are as good as if each were made from the original", async () => {
    const original = await sharp(await detailed(2400, 1600))
      .jpeg({ quality: 95 })
      .toBuffer();
    const variants = [{ width: 320 }, { width: 640 }, { width: 1280 }, { width: 300, height: 300 }];
    // Lossless, as far as the format allows: what is compared is the resizing.
    const quality = { jpeg: 100, webp: 100, avif: 100 };
    for (const { bytes, plan, format } of await renditions(original, { variants, quality })) {
      if (format !== "jpeg") continue;
      const direct = await sharp(original, {})
        .extract(plan.region)
        .resize({ width: plan.width, height: plan.height, fit: "fill", fastShrinkOnLoad: false })
        .raw()
        .toBuffer();
      const made = await sharp(bytes).raw().toBuffer();
      expect(psnr(made, direct), plan.slots.join()).toBeGreaterThan(34);
    }
  });

  /** Soft shapes, edges and noise, somewhat like a photograph. */
  async function detailed(width: number, height: number): Promise<Buffer> {
    const noise = await sharp({
      create: {
        width,
        height,
        channels: 3,
        background: "#000",
        noise: { type: "gaussian", mean: 128, sigma: 25 },
      },
    })
      .blur(1.2)
      .png()
      .toBuffer();
    const circles = Array.from({ length: 60 }, (_, n) => {
      const [x, y, r] = [(n * 977) % width, (n * 631) % height, 20 + ((n * 37) % 160)];
      return `<circle cx="${x}" cy="${y}" r="${r}" fill="hsl(${n * 47} 60% 50%)" opacity="0.6"/>`;
    });
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${circles.join("")}</svg>`;
    return await sharp(noise)
      .composite([{ input: Buffer.from(svg) }])
      .png()
      .toBuffer();
  }

  function psnr(a: Buffer, b: Buffer): number {
    expect(a.length).toBe(b.length);
    let sum = 0;
    for (let i = 0; i < a.length; i++) sum += ((a[i] as number) - (b[i] as number)) ** 2;
    return 10 * Math.log10(255 ** 2 / (sum / a.length));
  }
});

describe("damaged originals", () => {
  it.each(["jpeg", "png", "webp", "gif", "tiff", "avif"] as const)(
    "a %s cut short anywhere is refused",
    async (format) => {
      const whole = await quadrants(640, 480, 99).toFormat(format).toBuffer();
      expect(await renditions(whole)).not.toHaveLength(0);
      for (const share of [0.05, 0.5, 0.9]) {
        const cut = whole.subarray(0, Math.floor(whole.length * share));
        await expect(renditions(cut), `${share}`).rejects.toBeInstanceOf(DecodeError);
      }
    },
  );

  it("a progressive JPEG and an interlaced PNG cut short are refused", async () => {
    for (const whole of [
      await quadrants(640, 480, 99).jpeg({ progressive: true }).toBuffer(),
      await quadrants(640, 480, 99).png({ progressive: true }).toBuffer(),
    ]) {
      const cut = whole.subarray(0, Math.floor(whole.length * 0.9));
      await expect(renditions(cut)).rejects.toBeInstanceOf(DecodeError);
    }
  });

  it("a broken PNG stream is refused", async () => {
    const bytes = await quadrants(640, 480, 99).png({ compressionLevel: 0 }).toBuffer();
    const middle = bytes.length >> 1;
    bytes.fill(0x5a, middle, middle + 64);
    await expect(renditions(bytes)).rejects.toBeInstanceOf(DecodeError);
  });

  it("a few bytes between the scans of a JPEG are accepted with a warning, many are refused", async () => {
    const bytes = await quadrants(640, 480, 99).jpeg({ progressive: true }).toBuffer();
    const scan = bytes.indexOf("ffda", 0, "hex");
    const table = bytes.indexOf("ffc4", scan, "hex");
    const withBytes = (count: number): Buffer =>
      Buffer.concat([bytes.subarray(0, table), Buffer.alloc(count, 7), bytes.subarray(table)]);
    const warnings: string[] = [];
    const made = await renditions(withBytes(3), {}, (warning) => warnings.push(warning));
    expect(made.map((one) => one.bytes)).toEqual((await renditions(bytes)).map((one) => one.bytes));
    expect(warnings.join()).toMatch(/extraneous bytes before marker/);
    await expect(renditions(withBytes(500))).rejects.toBeInstanceOf(DecodeError);
  });

  it("more pixels than the limit are refused, before any are decoded", async () => {
    const original = await png(quadrants(400, 300));
    await expect(renditions(original, { limitPixels: 119_999 })).rejects.toThrow(
      "0.1 megapixels, media.limitPixels allows 0.1",
    );
    expect(await renditions(original, { limitPixels: 120_000 })).not.toHaveLength(0);
  });
});

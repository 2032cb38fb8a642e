import sharp from "sharp";
import { ConfigError } from "../errors.ts";

/** Sides in pixels of the PNG icons: of an iPhone's home screen, and those of web manifests. */
const sides = [180, 192, 512] as const;
/** Sides of the pictures in `favicon.ico`. */
const favicons = [32, 48];

/**
 * The icons of a website from one logo, by name: `icon-180.png` (on `paper`, such as "#fbf9f4", because phones show no
 * transparency), `icon-192.png`, `icon-512.png` and `favicon.ico`.
 */
export async function iconsOf(logo: Uint8Array, paper: string): Promise<Map<string, Uint8Array>> {
  const pngOf = (side: number): Promise<Uint8Array> =>
    sharp(logo, { density: 300 })
      .resize(side, side, { fit: "contain", background: "#0000" })
      .png({ palette: false })
      .toBuffer();
  const files = new Map<string, Uint8Array>();
  for (const side of sides) files.set(`icon-${side}.png`, await pngOf(side));
  const [touch] = sides;
  const margin = touch / 10;
  const margins = { top: margin, left: margin, bottom: margin, right: margin };
  const padded = await sharp(await pngOf(touch - 2 * margin))
    .extend({ ...margins, background: paper })
    .flatten({ background: paper })
    .png()
    .toBuffer();
  files.set(`icon-${touch}.png`, padded);
  files.set("favicon.ico", icoOf(await Promise.all(favicons.map(pngOf))));
  return files;
}

/** PNG files in an ICO container: a header of 6 bytes, then 16 for each picture. */
function icoOf(pngs: readonly Uint8Array[]): Uint8Array {
  const head = Buffer.alloc(6 + 16 * pngs.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pngs.length, 4);
  let offset = head.length;
  for (const [at, png] of pngs.entries()) {
    const entry = 6 + 16 * at;
    const side = favicons[at] as number;
    head.writeUInt8(side, entry);
    head.writeUInt8(side, entry + 1);
    head.writeUInt16LE(1, entry + 4);
    head.writeUInt16LE(32, entry + 6);
    head.writeUInt32LE(png.length, entry + 8);
    head.writeUInt32LE(offset, entry + 12);
    offset += png.length;
  }
  return Buffer.concat([head, ...pngs]);
}

/** A logo as SVG or PNG, and its pixels. @throws ConfigError where the bytes are no picture that can be decoded */
export async function readLogo(bytes: Uint8Array, file: string) {
  try {
    const { format, width, height } = await sharp(bytes).metadata();
    if (format === "svg") return { isVector: true, bytes, width, height };
    const { data, info } = await sharp(bytes).rotate().png().toBuffer({ resolveWithObject: true });
    return { isVector: false, bytes: data, width: info.width, height: info.height };
  } catch (cause) {
    throw new ConfigError(`site.logo: ${file}: not a picture that can be decoded`, {
      cause,
      hint: "expected an SVG, PNG, JPEG or WebP file",
    });
  }
}

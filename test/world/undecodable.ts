import { readFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { expect } from "vitest";
import type { WorldCase } from "./case.ts";
import { type Json, picture, type World } from "./world.ts";

/** Makes the first picture's original one that is not decoded here, of which the origin has a web version. */
export async function giveUndecodable(
  world: World,
  original: Buffer,
  headers: Record<string, string>,
): Promise<void> {
  const image = world.images.find(({ id }) => id === picture) as Json;
  image.filesize = original.length;
  world.files[`/images/${picture}/download`] = { headers, body: original };
  world.files[`/images/${picture}.jpg`] = {
    headers: { "content-type": "image/jpeg" },
    body: await sharp({ create: { width: 64, height: 48, channels: 3, background: "#2a9d8f" } })
      .jpeg()
      .toBuffer(),
  };
}

/** What the mirror and the page have of the first picture is the web version. */
export async function expectWebVersion({ out }: { out: string }): Promise<void> {
  const root = join(out, "public/api/v1/images");
  const { data } = JSON.parse(readFileSync(join(root, `${picture}.json`), "utf8"));
  expect(Object.values(data.links.thumbnail)).not.toContain(null);
  const web = await sharp(join(root, `${picture}.jpg`))
    .raw()
    .toBuffer();
  const expected = [0x2a, 0x9d, 0x8f];
  for (const [at, value] of expected.entries())
    expect(Math.abs((web[at] ?? 0) - value)).toBeLessThanOrEqual(4);
}

/** A night with a TIFF whose last page is the picture; the pages before it are previews. */
export function tiffCase(
  said: Pick<WorldCase, "says" | "source">,
  previews: Parameters<typeof tiffOf>[0],
): WorldCase {
  const colour = [42, 157, 143];
  return {
    ...said,
    change(world) {
      const original = tiffOf([...previews, { width: 64, height: 48, colour }]);
      const image = world.images.find(({ id }) => id === picture) as Json;
      image.filesize = original.length;
      world.files[`/images/${picture}/download`] = {
        headers: { "content-type": "image/tiff" },
        body: original,
      };
    },
    pictures: 1,
    async also({ out }) {
      const path = join(out, "public/api/v1/images", `${picture}.jpg`);
      const { data, info } = await sharp(path).raw().toBuffer({ resolveWithObject: true });
      expect([info.width, info.height]).toEqual([64, 48]);
      for (const [at, value] of colour.entries())
        expect(Math.abs((data[at] ?? 0) - value)).toBeLessThanOrEqual(4);
    },
  };
}

/** A TIFF (revision 6.0) with a page for each picture: 8 bits a sample, without compression. */
export function tiffOf(pages: readonly { width: number; height: number; colour: number[] }[]) {
  const parts: Buffer[] = [Buffer.from("II*\0\0\0\0\0", "latin1")];
  let offset = 8;
  let link: [part: Buffer, at: number] = [parts[0] as Buffer, 4];
  const add = (part: Buffer): number => {
    parts.push(part);
    offset += part.length;
    return offset - part.length;
  };
  for (const { width, height, colour } of pages) {
    const pixels = add(Buffer.from(Array.from({ length: width * height }, () => colour).flat()));
    const bits = add(Buffer.from([8, 0, 8, 0, 8, 0]));
    const tags = [
      [256, 4, 1, width],
      [257, 4, 1, height],
      [258, 3, 3, bits],
      [259, 3, 1, 1],
      [262, 3, 1, 2],
      [273, 4, 1, pixels],
      [277, 3, 1, 3],
      [278, 4, 1, height],
      [279, 4, 1, width * height * 3],
    ] as const;
    const directory = Buffer.alloc(2 + tags.length * 12 + 4);
    directory.writeUInt16LE(tags.length, 0);
    for (const [n, [tag, type, count, value]] of tags.entries()) {
      directory.writeUInt16LE(tag, 2 + n * 12);
      directory.writeUInt16LE(type, 4 + n * 12);
      directory.writeUInt32LE(count, 6 + n * 12);
      directory.writeUInt32LE(value, 10 + n * 12);
    }
    link[0].writeUInt32LE(offset, link[1]);
    link = [directory, directory.length - 4];
    add(directory);
  }
  return Buffer.concat(parts);
}

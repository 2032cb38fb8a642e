import sharp from "sharp";
import { expect } from "vitest";
import type { Answer } from "./row.ts";

/** Holds a picture against what a row says of its size and of its stripes. */
export async function checkPixels(bytes: Buffer, { size, across, down }: Answer): Promise<void> {
  if (size === undefined && across === undefined && down === undefined) return;
  const image = sharp(bytes).removeAlpha().raw();
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  if (size !== undefined) expect(`${width}x${height}`).toBe(size);
  const colourAt = (x: number, y: number): number => {
    const at = (y * width + x) * 3;
    const pixel = [...data.subarray(at, at + 3)];
    return pixel.indexOf(Math.max(...pixel));
  };
  const row = Math.floor(height / 2);
  const column = Math.floor(width / 2);
  if (across)
    checkStripes(
      upTo(width).map((x) => colourAt(x, row)),
      across,
    );
  if (down)
    checkStripes(
      upTo(height).map((y) => colourAt(column, y)),
      down,
    );
}

/** Colours along a line, 0 for red and 2 for blue. */
function checkStripes(colours: number[], wanted: readonly [number, number]): void {
  const found = [colours.findIndex((one) => one !== 0), colours.indexOf(2)];
  // What scaling and JPEG make of an edge.
  const near = Math.max(3, colours.length / 100);
  const right = wanted.every((place, at) => Math.abs((found[at] ?? 0) - place) <= near);
  expect(right ? wanted : found, "where the stripes meet").toEqual(wanted);
}

function upTo(length: number): number[] {
  return Array.from({ length }, (_, at) => at);
}

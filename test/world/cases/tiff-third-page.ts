import { tiffCase } from "../undecodable.ts";

export const worldCase = tiffCase(
  {
    says: "a TIFF has two previews of different sizes before its picture",
    source: "TIFF 6.0, NewSubfileType 1: pyramids of scanners, the smallest page first",
  },
  [
    { width: 16, height: 12, colour: [255, 255, 255] },
    { width: 32, height: 24, colour: [0, 0, 0] },
  ],
);

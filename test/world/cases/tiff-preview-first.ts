import { tiffCase } from "../undecodable.ts";

export const worldCase = tiffCase(
  {
    says: "the first page of a TIFF is a preview, and the second the picture",
    source: "TIFF 6.0, NewSubfileType 1: exports of scanners and of Photoshop",
  },
  [{ width: 16, height: 12, colour: [255, 255, 255] }],
);

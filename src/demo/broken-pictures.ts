import type { Picture } from "./pictures.ts";

/**
 * Breaks some of the first pictures, as in every grown archive: an upload that was cut short, two types that few decoders
 * know, a record without a file. Sizes in bytes are true; a type that the service could not read has no dimensions.
 */
export function breakSome(pictures: readonly Picture[]): Picture[] {
  const broken = [...pictures];
  const [, second, third, , fifth, sixth] = pictures;
  if (second) {
    const filesize = Math.floor(second.filesize * 0.6);
    const read = async () => (await second.read()).subarray(0, filesize);
    broken[1] = { ...second, filesize, read };
  }
  if (third) broken[2] = { ...third, ...bitmap, mime: "image/bmp", width: 48, height: 32 };
  if (fifth) broken[4] = { ...fifth, ...heic, mime: "image/heic", width: 0, height: 0 };
  if (sixth) broken[5] = { ...sixth, absent: 404 };
  return broken;
}

function fileOf(...parts: Buffer[]): Pick<Picture, "filesize" | "read"> {
  const bytes = Buffer.concat(parts);
  return { filesize: bytes.length, read: async () => bytes };
}

/** 48 x 32 grey pixels of 24 bits. */
const bitmap = fileOf(
  Buffer.from("424d361200000000000036000000280000003000000020000000010018000000", "hex"),
  Buffer.alloc(22),
  Buffer.alloc(48 * 32 * 3, 0x80),
);

/** The head of a photograph, and nothing to decode. */
const heic = fileOf(
  Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1"),
  Buffer.alloc(4096, "not a picture "),
);

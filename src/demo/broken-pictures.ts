import type { Picture } from "./pictures.ts";

/**
 * The pictures with some of the first ones broken, as they are in every grown archive: an upload
 * that was cut short, two types that few decoders know, a record whose file is missing. What the
 * records say of sizes in bytes is true; a type that the service could not read has no dimensions.
 */
export function breakSome(pictures: readonly Picture[]): Picture[] {
  return pictures.map((picture, index) => {
    switch (index) {
      case 1:
        return cutShort(picture);
      case 2:
        return { ...picture, ...fileOf(bitmap(48, 32)), mime: "image/bmp", width: 48, height: 32 };
      case 4:
        return { ...picture, ...fileOf(heic()), mime: "image/heic", width: 0, height: 0 };
      case 5:
        return { ...picture, absent: 404 };
      default:
        return picture;
    }
  });
}

function cutShort(picture: Picture): Picture {
  const filesize = Math.floor(picture.filesize * 0.6);
  return {
    ...picture,
    filesize,
    read: async () => (await picture.read()).subarray(0, filesize),
  };
}

function fileOf(bytes: Buffer): Pick<Picture, "filesize" | "read"> {
  return { filesize: bytes.length, read: async () => bytes };
}

/** A whole bitmap of 24 bits a pixel, a slope of grey. */
function bitmap(width: number, height: number): Buffer {
  const row = Math.ceil((width * 3) / 4) * 4;
  const bytes = Buffer.alloc(54 + row * height, 0x80);
  bytes.write("BM", 0, "latin1");
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(0, 6);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  bytes.fill(0, 30, 54);
  for (let line = 0; line < height; line += 1) {
    const start = 54 + line * row;
    bytes.fill(Math.round((line * 255) / height), start, start + width * 3);
  }
  return bytes;
}

/** The head of a photograph as telephones take it, and nothing that a decoder could use. */
function heic(): Buffer {
  const head = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1");
  return Buffer.concat([head, Buffer.alloc(4096, "not a picture ")]);
}

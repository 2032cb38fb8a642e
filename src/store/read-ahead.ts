import type { Disk } from "../lib/disk.ts";

/** Places in files that are read side by side, such as index and single forms. */
const streams = 8;
const blockBytes = 64 << 10;

/** What was read last at one place. */
interface Block {
  handle: number;
  offset: number;
  bytes: Buffer;
  /** Bytes of it that were read. */
  filled: number;
}

/**
 * Reads short pieces of files whose content does not change. Lists are read in the order in which they were written: a
 * read behind another one takes what follows with it, and one anywhere else takes no more than was asked for.
 */
export function createReadAhead(disk: Pick<Disk, "read">) {
  const blocks: Block[] = [];
  let next = 0;

  function fill(block: Block, handle: number, offset: number, wanted: number): Block {
    if (block.bytes.length < wanted) block.bytes = Buffer.allocUnsafe(wanted);
    const filled = disk.read(handle, block.bytes, 0, wanted, offset);
    return Object.assign(block, { handle, offset, filled });
  }

  /** A block that nothing follows, or a new one. */
  function spareBlock(): Block {
    next = (next + 1) % streams;
    blocks[next] ??= { handle: -1, offset: 0, bytes: Buffer.alloc(0), filled: 0 };
    return blocks[next] as Block;
  }

  /** The bytes of a place, valid until the next call; fewer where the file ends before. */
  return (handle: number, offset: number, length: number): Buffer => {
    const ofFile = blocks.filter((block) => block?.handle === handle);
    const ahead = (block: Block): number => offset - block.offset;
    let found = ofFile.find((one) => ahead(one) >= 0 && ahead(one) + length <= one.filled);
    if (found === undefined) {
      const before = ofFile.find((one) => ahead(one) >= 0 && ahead(one) <= one.filled + blockBytes);
      found = before
        ? fill(before, handle, offset, Math.max(length, blockBytes))
        : fill(spareBlock(), handle, offset, length);
    }
    const start = offset - found.offset;
    return found.bytes.subarray(start, Math.min(start + length, found.filled));
  };
}

import { closeSync, openSync, readSync } from "node:fs";

const pieceBytes = 64 << 10;

/** Whether a file holds nothing but zeros, as one does that was made in its size and never written. */
export function isBlank(path: string): boolean {
  const handle = openSync(path, "r");
  try {
    const piece = Buffer.alloc(pieceBytes);
    for (;;) {
      const length = readSync(handle, piece);
      if (length === 0) return true;
      if (piece.subarray(0, length).some((byte) => byte !== 0)) return false;
    }
  } finally {
    closeSync(handle);
  }
}

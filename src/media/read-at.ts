import type { FileHandle } from "node:fs/promises";

/** Bytes of a file from a position on: fewer than asked for where it ends before. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

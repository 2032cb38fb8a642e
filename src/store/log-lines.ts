import { join } from "node:path";
import { crc32 } from "node:zlib";
import { StoreError } from "../errors.ts";
import type { Disk } from "../lib/disk.ts";
import { append } from "../lib/many.ts";

const sumStart = '{"sum":"';
const lineStart = `${sumStart}00000000",`;
const keyStart = '"key":';
const valueMark = ',"value":';
const newline = 0x0a;
const scanBytes = 4 << 20;

/** A line with its end. */
export function lineOf(key: string, value: string): Buffer {
  const text = `${lineStart}${keyStart}${JSON.stringify(key)}${valueMark}${value}}\n`;
  const line = Buffer.from(text);
  line.write(sumOf(line.subarray(0, -1)), sumStart.length, "latin1");
  return line;
}

/** CRC-32 of a line, without its end, behind its own sum. */
function sumOf(line: Buffer): string {
  return crc32(line.subarray(lineStart.length)).toString(16).padStart(8, "0");
}

/** Whether a line, without its end, is as it was written. */
export function isIntact(line: Buffer): boolean {
  return (
    line.length > lineStart.length &&
    line.toString("latin1", 0, lineStart.length) === `${sumStart}${sumOf(line)}",`
  );
}

/** Key of an intact line. */
export function keyOfLine(line: Buffer): string {
  // Inside the key a quote is escaped, so the first mark is the real one.
  const end = line.indexOf(valueMark);
  return JSON.parse(line.toString("utf8", lineStart.length + keyStart.length, end)) as string;
}

/** Value of an intact line, as JSON text. */
export function valueOfLine(line: Buffer): string {
  return line.toString("utf8", line.indexOf(valueMark) + valueMark.length, line.length - 1);
}

/**
 * A mark says that all lines before it are durable: it is written after their sync has returned. Damage before a mark
 * came later; damage behind the last one may be of a power cut.
 */
export const markLine = lineOf("", '{"durable":true}');
const mark = markLine.subarray(0, -1);

/**
 * Calls `each` with the intact lines of a segment, without its marks, up to what a power cut may have damaged. It can
 * have damaged the last segment of a log only. Returns the bytes up to there (`size`), the end of the last mark
 * (`markedTo`, 0 without one), and where lines stand that were durable and are damaged (`damage`).
 *
 * Segments of earlier versions can be without marks: there, only zeros are taken for those of a power cut. Nothing is
 * appended to them until they have a durable mark.
 */
export function readSegment(
  disk: Disk,
  handle: number,
  isLast: boolean,
  each: (line: Buffer, offset: number) => void,
) {
  const size = disk.bytesOf(handle);
  const damage: number[] = [];
  /** Damaged lines behind the last mark. */
  let suspects: number[] = [];
  let markedTo = 0;
  const end = scanLines(disk, handle, size, (line, offset) => {
    if (line.subarray(-mark.length).equals(mark)) {
      // Where its end is damaged, the line before the mark is a part of the mark's.
      if (line.length > mark.length) suspects.push(offset);
      append(damage, suspects);
      suspects = [];
      markedTo = offset + line.length + 1;
    } else if (isIntact(line)) {
      if (suspects.length === 0) each(line, offset);
    } else if (markedTo > 0 || !line.includes(zeros)) suspects.push(offset);
  });
  const isOfPowerCut = (offset: number): boolean =>
    isLast && (markedTo > 0 || offset === end || (offset > 0 && offset >= size - markLine.length));
  if (end < size) suspects.push(end);
  append(
    damage,
    suspects.filter((offset) => !isOfPowerCut(offset)),
  );
  return { size: suspects.find(isOfPowerCut) ?? size, markedTo, damage };
}

// A single one can be a flipped bit of a space.
const zeros = Buffer.alloc(2);

/** Calls `each` with the complete lines of a file of so many bytes; returns the end of the last one. */
export function scanLines(
  disk: Disk,
  handle: number,
  size: number,
  each: (line: Buffer, offset: number) => void,
): number {
  let bytes = Buffer.alloc(Math.min(scanBytes, size));
  let filled = 0;
  let offset = 0;
  for (let position = 0; position < size; ) {
    // A line longer than the buffer: make room for it.
    if (filled === bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length)]);
    const wanted = Math.min(bytes.length - filled, size - position);
    const read = disk.read(handle, bytes, filled, wanted, position);
    if (read === 0) break;
    position += read;
    filled += read;
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1 && end < filled; ) {
      each(bytes.subarray(start, end), offset);
      offset += end - start + 1;
      start = end + 1;
      end = bytes.indexOf(newline, start);
    }
    bytes.copyWithin(0, start, filled);
    filled -= start;
    // What lies behind is left over from before, and holds line ends.
    bytes.fill(0, filled);
  }
  return offset;
}

/** Path of a segment by its number, from 0 on. */
export function segmentPath(folder: string, number: number): string {
  return join(folder, `${String(number + 1).padStart(6, "0")}.ndjson`);
}

/** Numbers of the segments in a log's folder, in order. @throws StoreError where one between them is missing */
export function segmentNumbers(disk: Disk, folder: string): number[] {
  const numbers = foundSegments(disk, folder);
  const gap = numbers.findIndex((number, at) => number !== at);
  if (gap === -1) return numbers;
  throw new StoreError(`${segmentPath(folder, gap)} is missing`, {
    hint: 'run "stillpress repair" to have again what was in it',
  });
}

/** The same, without a look for missing ones. */
export function foundSegments(disk: Disk, folder: string): number[] {
  const names = disk.stat(folder) === undefined ? [] : disk.list(folder);
  return names
    .filter((name) => /^\d{6,}\.ndjson$/.test(name))
    .map((name) => Number.parseInt(name, 10) - 1)
    .sort((a, b) => a - b);
}

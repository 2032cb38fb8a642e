/** The records of a zip: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (6.3), numbers least byte first. */

/** What a file of a zip is, without its bytes, which are stored as they are. */
export interface ZipEntry {
  name: string;
  bytes: number;
  crc: number;
  /** Where its local header begins. */
  offset: number;
  /**
   * Whether its size stands in fields of 64 bits, which are there before a size is known. Both its headers have them, or
   * none: some readers take the length of the one for that of the other.
   */
  isLong: boolean;
}

/** From here on, a number stands in a field of 64 bits instead. */
const most32 = 0xffff_ffff;
const most16 = 0xffff;
/** Version of the format that has fields of 64 bits. */
const zip64Version = 45;
/** The name is UTF-8. */
const utf8 = 1 << 11;
const unix = 3 << 8;
/** A plain file that all may read. */
const unixMode = (0o100_644 << 16) >>> 0;

type Field = readonly [bytes: 2 | 4 | 8, value: number];

function recordOf(fields: readonly Field[]): Buffer {
  const record = Buffer.alloc(fields.reduce((total, [bytes]) => total + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) record.writeBigUInt64LE(BigInt(value), at);
    else record.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return record;
}

/** Fields of 64 bits for what does not fit elsewhere; empty for none. */
function extraOf(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0);
  return recordOf([[2, 1], [2, values.length * 8], ...values.map((value) => [8, value] as const)]);
}

/** Date and time as MS-DOS had them: from 1980 to 2107, in steps of two seconds, here in UTC. */
function dosTime(time: Date): { day: number; second: number } {
  const year = time.getUTCFullYear() - 1980;
  if (year < 0) return { day: (1 << 5) | 1, second: 0 };
  const day = (Math.min(year, 127) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5);
  return { day, second: clock | (time.getUTCSeconds() >> 1) };
}

/** What both headers of a file share, from the needed version on. */
function sharedFields(entry: ZipEntry, size: number, lengths: readonly Field[], time: Date) {
  const { day, second } = dosTime(time);
  const stored = 0;
  const before: Field[] = [
    [2, zip64Version],
    [2, utf8],
    [2, stored],
    [2, second],
    [2, day],
    [4, entry.crc],
  ];
  return [
    ...before,
    ...([
      [4, size],
      [4, size],
    ] as const),
    ...lengths,
  ];
}

/** Has the same length whatever size and checksum are. */
export function localHeader(entry: ZipEntry, time: Date): Buffer {
  const name = Buffer.from(entry.name);
  const { isLong } = entry;
  const extra = extraOf(isLong ? [entry.bytes, entry.bytes] : []);
  const lengths = [
    [2, name.length],
    [2, extra.length],
  ] as const;
  const size = isLong ? most32 : entry.bytes;
  const header = recordOf([[4, 0x04034b50], ...sharedFields(entry, size, lengths, time)]);
  return Buffer.concat([header, name, extra]);
}

/** The same for the directory at the end. */
export function centralHeader(entry: ZipEntry, time: Date): Buffer {
  const name = Buffer.from(entry.name);
  const { bytes, offset, isLong } = entry;
  const isFar = offset >= most32;
  const extra = extraOf([...(isLong ? [bytes, bytes] : []), ...(isFar ? [offset] : [])]);
  const noComment: Field = [2, 0];
  const lengths = [[2, name.length], [2, extra.length], noComment] as const;
  const header = recordOf([
    [4, 0x02014b50],
    [2, unix | zip64Version],
    ...sharedFields(entry, isLong ? most32 : bytes, lengths, time),
    [2, 0], // number of the disk
    [2, 0], // internal attributes
    [4, unixMode],
    [4, isFar ? most32 : offset],
  ]);
  return Buffer.concat([header, name, extra]);
}

/** What follows the directory. */
export function endOfDirectory(entries: number, bytes: number, offset: number): Buffer {
  const isLong = entries >= most16 || bytes >= most32 || offset >= most32;
  const end = recordOf([
    [4, 0x06054b50],
    [4, 0], // numbers of disks
    [2, Math.min(entries, most16)],
    [2, Math.min(entries, most16)],
    [4, Math.min(bytes, most32)],
    [4, Math.min(offset, most32)],
    [2, 0], // length of a comment
  ]);
  if (!isLong) return end;
  const long = recordOf([
    [4, 0x06064b50],
    [8, 44], // length of the rest of this record
    [2, unix | zip64Version],
    [2, zip64Version],
    [8, 0], // numbers of disks
    [8, entries],
    [8, entries],
    [8, bytes],
    [8, offset],
  ]);
  const locator = recordOf([
    [4, 0x07064b50],
    [4, 0],
    [8, offset + bytes],
    [4, 1],
  ]);
  return Buffer.concat([long, locator, end]);
}

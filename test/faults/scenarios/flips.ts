import { closeSync, lstatSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { walkSorted } from "../../../src/lib/files.ts";
import { type Dice, dice } from "../../../src/lib/random.ts";
import { verifyArchive } from "../../../src/verify/verify.ts";
import { type Press, startPress, stillpress } from "../../support/archive.ts";
import type { FaultContext, Finding, Scenario } from "../scenario.ts";

const flipCount = { short: 200, long: 2_000 };
/** How many of them are looked for with the command itself. */
const commandCount = 5;
/** Files that say nothing about the archive, or that the next run makes anew. */
const leftOut = /^(?:report\.|lock|store\/(?:rate\.json$|(?:blobs\/incoming|prepared)\/))/;

/** No bit of an archive can turn over unseen. */
export const flips: Scenario = {
  name: "flips",
  what: "verify --full finds every single bit that is turned over in store and builds, and names the file",
  async run(context) {
    const press = await startPress({
      size: { articles: 10, galleries: 2, images: 8 },
      config: {
        origin: { rate: { requests: 1_000_000, perSeconds: 1 } },
        media: { variants: [], web: { width: 160 } },
      },
    });
    try {
      await pressTwice(press);
      return await flipAll(press.out, context);
    } finally {
      await press.close();
    }
  },
};

/** Two nights, so that there is a build and a snapshot beside the published ones. */
async function pressTwice({ run, origin }: Press): Promise<void> {
  for (const title of ["A title of yesterday", "A title of today"]) {
    const [article] = origin.content.articles;
    if (article !== undefined) origin.content.articles.edit(article.id, { title });
    const { code, stderr } = await run("snapshot");
    if (code !== 0) throw new Error(`the undisturbed run: exit ${code}: ${stderr}`);
  }
}

/** A bit of a file. */
interface Bit {
  /** Relative to the output folder. */
  path: string;
  byte: number;
  bit: number;
}

async function flipAll(out: string, context: FaultContext): Promise<Finding> {
  const random = dice(context.seed);
  const files = new Map(filesOf(out));
  const names = namesByInode(out, files.keys());
  const violations: string[] = [];
  const whole = await verifyArchive({ out, full: true });
  for (const { path, reason } of whole.findings) violations.push(`undamaged: ${path}: ${reason}`);

  const count = context.long ? flipCount.long : flipCount.short;
  const places = new Map<string, number>();
  for (let n = 0; n < count; n++) {
    const bit = bitOf(files, n, random);
    const place = folderOf(bit.path);
    places.set(place, (places.get(place) ?? 0) + 1);
    const byCommand = n % Math.floor(count / commandCount) === 0;
    flip(out, bit);
    try {
      const missed = await missedBy(out, names.get(bit.path) ?? [], byCommand);
      if (missed !== undefined) {
        violations.push(`${bit.path}, byte ${bit.byte}, bit ${bit.bit}: ${missed}`);
      }
    } finally {
      flip(out, bit);
    }
    context.note(`${n + 1} of ${count}`);
  }
  const again = await verifyArchive({ out, full: true });
  if (again.findings.length > whole.findings.length) violations.push("a flip was not undone");
  const shares = [...places].map(([place, hits]) => `${hits} in ${place}`).join(", ");
  return {
    figures: [
      `${count} bits of ${files.size} files turned over, one at a time: ${shares}`,
      `${commandCount} of them looked for with the command, the others in process`,
    ],
    violations,
  };
}

/** Files of store and builds with their sizes, by path; empty ones have no bit. */
function* filesOf(out: string): Generator<[path: string, bytes: number]> {
  for (const folder of ["builds", "store"]) {
    for (const below of walkSorted(join(out, folder))) {
      const path = `${folder}/${below}`;
      const { size } = lstatSync(join(out, path));
      if (size > 0 && !leftOut.test(path)) yield [path, size];
    }
  }
}

/** All names of the file that each path names: a published image is a blob of the store. */
function namesByInode(out: string, paths: Iterable<string>): ReadonlyMap<string, string[]> {
  const byInode = new Map<number, string[]>();
  const byPath = new Map<string, string[]>();
  for (const path of paths) {
    const { ino } = statSync(join(out, path));
    const names = byInode.get(ino) ?? [];
    byInode.set(ino, names);
    names.push(path);
    byPath.set(path, names);
  }
  return byPath;
}

/** In turn: any byte; a byte of any file; a byte of any file of any folder, because most files are pages. */
function bitOf(files: ReadonlyMap<string, number>, n: number, random: Dice): Bit {
  const bit = random.roll(8);
  if (n % 3 === 0) {
    let byte = random.roll([...files.values()].reduce((sum, bytes) => sum + bytes, 0));
    for (const [path, bytes] of files) {
      if (byte < bytes) return { path, byte, bit };
      byte -= bytes;
    }
  }
  const folder = random.pick([...new Set([...files.keys()].map(folderOf))]);
  const some = [...files].filter(([path]) => n % 3 === 1 || folderOf(path) === folder);
  const [path, bytes] = random.pick(some);
  return { path, byte: random.roll(bytes), bit };
}

function folderOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

function flip(out: string, { path, byte, bit }: Bit): void {
  const handle = openSync(join(out, path), "r+");
  try {
    const one = Buffer.alloc(1);
    readSync(handle, one, 0, 1, byte);
    one[0] = (one[0] ?? 0) ^ (1 << bit);
    writeSync(handle, one, 0, 1, byte);
  } finally {
    closeSync(handle);
  }
}

/** What verify did not say of a damaged file; undefined where it said all. */
async function missedBy(
  out: string,
  names: readonly string[],
  byCommand: boolean,
): Promise<string | undefined> {
  const namesIt = (text: string): boolean => names.some((name) => text.includes(name));
  if (byCommand) {
    const { code, stdout, stderr } = await stillpress(["verify", "--full", "--json", "--out", out]);
    if (code !== 5) return `the command ends with ${code} ${stderr.trim().split("\n").at(-1)}`;
    return namesIt(stdout) ? undefined : "the command does not name it";
  }
  try {
    const { findings } = await verifyArchive({ out, full: true });
    if (findings.length === 0) return "nothing found";
    if (findings.some(({ path, reason }) => namesIt(`${path} ${reason}`))) return undefined;
    return `not named, but ${findings[0]?.path}: ${findings[0]?.reason}`;
  } catch (error) {
    return `verify broke off: ${error instanceof Error ? error.stack : String(error)}`;
  }
}

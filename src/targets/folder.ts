import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { sha256 } from "../lib/digest.ts";
import { isErrno, syncTree, walkSorted } from "../lib/files.ts";
import { type Conditional, otherContent, type Target, type TargetObject } from "./target.ts";

/** Readable by a server that runs as another user, whatever the umask is. */
const fileMode = 0o644;
const folderMode = 0o755;
/** Where files are written before they are renamed into place. */
const workFolder = ".stillpress";
const partStart = "part-";

/**
 * A folder, such as a mounted share. Each file is written beside the others and renamed, so that no reader sees a part of
 * one.
 */
export function openFolder(name: string, path: string): Target {
  const root = resolve(path);
  const pathOf = (key: string): string => join(root, key);

  /** @throws TargetError where the content is not what it is said to be */
  async function writePart(object: TargetObject): Promise<string> {
    await makeFolder(dirname(pathOf(object.key)), root);
    await makeFolder(join(root, workFolder), root);
    const part = join(root, workFolder, partStart + randomUUID());
    const sum = createHash("sha256");
    const file = await fs.open(part, "wx", fileMode);
    try {
      for await (const piece of piecesOf(object)) {
        sum.update(piece);
        await file.writeFile(piece);
      }
      if (sum.digest("hex") !== object.sha256) throw otherContent(object);
      await whereRightsAre(file.chmod(fileMode));
      if (object.time !== undefined) await file.utimes(object.time, object.time);
      return part;
    } catch (error) {
      await fs.rm(part, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  return {
    name,
    async read(key, consume) {
      const content = await orMissing(fs.readFile(pathOf(key)));
      return content && (await consume({ body: inPieces(content), version: sha256(content) }));
    },
    async has({ key, bytes, sha256: wanted }) {
      const found = await orMissing(fs.stat(pathOf(key)));
      return found?.size === bytes && (await digestOf(pathOf(key))) === wanted;
    },
    async put(object) {
      await fs.rename(await writePart(object), pathOf(object.key));
    },
    async putIf(object, version): Promise<Conditional> {
      if (version !== null) return "unsupported";
      const part = await writePart(object);
      try {
        await fs.link(part, pathOf(object.key));
        return "written";
      } catch (error) {
        if (isErrno(error, "EEXIST")) return "refused";
        const hasNoLinks = isErrno(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK");
        if (hasNoLinks) return "unsupported";
        throw error;
      } finally {
        await fs.rm(part, { force: true });
      }
    },
    async *list(start) {
      for (const key of walkSorted(root)) {
        if (!key.startsWith(start)) continue;
        const found = await orMissing(fs.stat(pathOf(key)));
        if (found !== undefined) yield { key, bytes: found.size };
      }
    },
    async remove(key) {
      await fs.rm(pathOf(key), { force: true });
      await removeEmpty(dirname(pathOf(key)), root);
    },
    async settle() {
      const names = (await orMissing(fs.readdir(join(root, workFolder)))) ?? [];
      const parts = names.filter((one) => one.startsWith(partStart));
      for (const part of parts) await fs.rm(join(root, workFolder, part), { force: true });
      await syncTree(root);
    },
    async close() {},
  };
}

function piecesOf({ content }: TargetObject): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  return typeof content === "string" ? createReadStream(content) : content;
}

async function* inPieces(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content;
}

async function digestOf(path: string): Promise<string> {
  const sum = createHash("sha256");
  for await (const piece of createReadStream(path)) sum.update(piece as Uint8Array);
  return sum.digest("hex");
}

/** Makes a folder, and those above it up to the root's own. */
async function makeFolder(folder: string, root: string): Promise<void> {
  const first = await fs.mkdir(folder, { recursive: true, mode: folderMode });
  if (first === undefined) return;
  // The umask may have taken rights away.
  for (let made = folder; ; made = dirname(made)) {
    await whereRightsAre(fs.chmod(made, folderMode));
    if (made === first || relative(root, made) === "") return;
  }
}

/** Some file systems have no rights to set, such as FAT. */
async function whereRightsAre(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isErrno(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS")) throw error;
  });
}

/** Removes the folders that a file leaves empty. */
async function removeEmpty(folder: string, root: string): Promise<void> {
  for (let above = folder; relative(root, above) !== ""; above = dirname(above)) {
    try {
      await fs.rmdir(above);
    } catch (error) {
      if (isErrno(error, "ENOTEMPTY", "EEXIST", "ENOENT")) return;
      throw error;
    }
  }
}

/** Undefined where there is no such file, or a file where a folder would have to be. */
async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

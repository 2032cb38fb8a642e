import { stat } from "node:fs/promises";
import { digestAt } from "../targets/reading.ts";
import type { Target } from "../targets/target.ts";
import type { BlobCache } from "./blob-cache.ts";
import { type BlobPlace, missing } from "./blob-place.ts";

const root = "blobs/";

/** One of so many blobs that other machines have put is read back. */
const sampled = 256;

/** Blobs in a bucket, with copies of what was used last. What is there is listed once, and counts from then on. */
export function openBlobBucket(target: Target, cache: BlobCache): BlobPlace {
  const keyOf = (digest: string): string => `${root}${digest.slice(0, 2)}/${digest}`;
  const objectOf = (
    digest: string,
    bytes: number,
    content: string | readonly Uint8Array[] = [],
  ) => {
    return { key: keyOf(digest), bytes, sha256: digest, headers: {}, content };
  };

  async function* list(start = "") {
    for await (const { key, bytes } of target.list(root + start)) {
      const digest = key.slice(-64);
      if (key === keyOf(digest)) yield { digest, bytes };
    }
  }

  /** Sizes by digest, of all blobs that begin so, once anybody asked. */
  const listed = new Map<string, Promise<Map<string, number>>>();

  async function sizesOf(start: string): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    for await (const { digest, bytes } of list(start)) sizes.set(digest, bytes);
    return sizes;
  }

  async function hasStill(digest: string, bytes: number): Promise<boolean> {
    const start = digest.slice(0, 2);
    const sizes = listed.get(start) ?? sizesOf(start);
    listed.set(start, sizes);
    return (await sizes).get(digest) === bytes;
  }

  async function note(digest: string, bytes: number): Promise<void> {
    (await listed.get(digest.slice(0, 2)))?.set(digest, bytes);
  }

  async function fetch(digest: string, path: string): Promise<void> {
    const found = await digestAt(target, keyOf(digest), path);
    if (found === digest) return;
    throw missing(`${target.name}/${keyOf(digest)}`, found === undefined ? "missing" : "damaged");
  }

  return {
    has: hasStill,
    hasStill,
    async confirm(digest, bytes) {
      if (!(await target.has(objectOf(digest, bytes)))) return false;
      const isRead = Number.parseInt(digest.slice(0, 8), 16) % sampled === 0;
      if (isRead && (await digestAt(target, keyOf(digest))) !== digest) return false;
      await note(digest, bytes);
      return true;
    },
    use: (digest, act) => cache.use(digest, (path) => fetch(digest, path), act),
    temporaryPath: cache.temporaryPath,
    async put(temporary, digest) {
      const { size } = await stat(temporary);
      const object = objectOf(digest, size, temporary);
      if (!(await target.has(object))) await target.put(object);
      await note(digest, size);
      await cache.keep(temporary, digest);
    },
    list,
    digestOf: async (digest) => (await digestAt(target, keyOf(digest))) ?? "",
    async remove(digest) {
      await target.remove(keyOf(digest));
      (await listed.get(digest.slice(0, 2)))?.delete(digest);
      await cache.remove(digest);
    },
    close: target.close,
  };
}

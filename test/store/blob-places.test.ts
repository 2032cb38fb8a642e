import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "../../src/lib/digest.ts";
import { openBlobBucket } from "../../src/store/blob-bucket.ts";
import { openBlobCache } from "../../src/store/blob-cache.ts";
import { openBlobFolder } from "../../src/store/blob-folder.ts";
import type { BlobPlace } from "../../src/store/blob-place.ts";
import { joinBlobs } from "../../src/store/blobs.ts";
import { openTarget } from "../../src/targets/open.ts";
import { placeOf } from "../../src/targets/place.ts";
import { type Bucket, startBucket } from "../support/bucket.ts";
import { withVariables } from "../upload/support.ts";

const folders: string[] = [];
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-blobs-"));
  folders.push(folder);
  return folder;
}

let bucket: Bucket;
beforeAll(async () => {
  bucket = await startBucket({ pageSize: 3 });
});
afterAll(async () => {
  await bucket.close();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function openBucket(cache = temporaryFolder(), mostBytes = 1_000): BlobPlace {
  const place = placeOf(`${bucket.name}/${sha256(cache).slice(0, 8)}`);
  const restore = withVariables(bucket.environment);
  try {
    return openBlobBucket(openTarget(place), openBlobCache(cache, mostBytes));
  } finally {
    restore();
  }
}

async function put(place: Pick<BlobPlace, "put" | "temporaryPath">, text: string) {
  const path = place.temporaryPath();
  writeFileSync(path, text);
  await place.put(path, sha256(text));
  expect(existsSync(path)).toBe(false);
  return { digest: sha256(text), bytes: text.length };
}

async function listOf(place: BlobPlace): Promise<string[]> {
  const digests: string[] = [];
  for await (const { digest } of place.list()) digests.push(digest);
  return digests.sort();
}

const read = (place: Pick<BlobPlace, "use">, digest: string): Promise<string> =>
  place.use(digest, async (path) => readFileSync(path, "utf8"));

describe.each([
  ["a folder", (): BlobPlace => openBlobFolder(temporaryFolder())],
  ["a shared folder", (): BlobPlace => openBlobFolder(temporaryFolder(), { shared: true })],
  ["a bucket", (): BlobPlace => openBucket()],
  ["a bucket without copies", (): BlobPlace => openBucket(temporaryFolder(), 0)],
])("%s of blobs", (_, open) => {
  it("has what was put, lends it, lists it and removes it", async () => {
    const place = open();
    const all = [];
    for (let n = 0; n < 8; n++) all.push(await put(place, `text ${n}`));
    const [first, second] = all as [(typeof all)[0], (typeof all)[0]];
    expect(await place.has(first.digest, first.bytes)).toBe(true);
    expect(await place.hasStill(first.digest, first.bytes + 1)).toBe(false);
    expect(await place.has(sha256("none"), 4)).toBe(false);
    expect(await read(place, second.digest)).toBe("text 1");
    expect(await listOf(place)).toEqual(all.map(({ digest }) => digest).sort());
    expect(await place.digestOf(first.digest)).toBe(first.digest);
    expect(await place.confirm(first.digest, first.bytes)).toBe(true);
    await put(place, "text 1");
    await place.remove(first.digest);
    expect(await place.has(first.digest, first.bytes)).toBe(false);
    expect(await place.digestOf(first.digest)).toBe("");
    await expect(read(place, first.digest)).rejects.toThrow("is missing");
    await place.close();
  });
});

describe("blobs that other machines put", () => {
  it("are seen, and not believed unseen", async () => {
    const folder = temporaryFolder();
    const mine: BlobPlace = openBlobFolder(folder, { shared: true });
    const theirs: BlobPlace = openBlobFolder(folder, { shared: true });
    const { digest, bytes } = await put(theirs, "another machine");
    expect(await mine.confirm(digest, bytes)).toBe(true);
    writeFileSync(join(folder, digest.slice(0, 2), digest), "another machinf");
    expect(await mine.has(digest, bytes)).toBe(true);
    expect(await mine.confirm(digest, bytes)).toBe(false);
  });

  it("are known by size and stamp in a bucket, and one in 256 by its bytes", async () => {
    const cache = temporaryFolder();
    const theirs = openBucket(cache, 0);
    const mine = openBucket(cache, 0);
    const texts = Array.from({ length: 600 }, (_, n) => `text ${n}`);
    const isSampled = (text: string) => Number.parseInt(sha256(text).slice(0, 8), 16) % 256 === 0;
    const sampled = texts.find(isSampled) as string;
    const { digest, bytes } = await put(theirs, sampled);
    expect(await mine.confirm(digest, bytes)).toBe(true);
    const [key, object] = [...bucket.objects].find(([one]) => one.endsWith(digest)) as [
      string,
      NonNullable<ReturnType<typeof bucket.objects.get>>,
    ];
    bucket.objects.set(key, { ...object, content: Buffer.from("x".repeat(bytes)) });
    expect(await mine.confirm(digest, bytes)).toBe(false);
    await expect(read(mine, digest)).rejects.toThrow("is damaged");
  });
});

describe("copies of blobs in a bucket", () => {
  it("spare requests, and never come to more than they may", async () => {
    const cache = temporaryFolder();
    const place = openBucket(cache, 100);
    const { digest } = await put(place, "a".repeat(60));
    bucket.log.length = 0;
    expect(await read(place, digest)).toBe("a".repeat(60));
    expect(bucket.log).toEqual([]);
    await put(place, "b".repeat(60));
    const kept = readdirSync(cache).filter((name) => name !== "incoming");
    expect(kept.flatMap((name) => readdirSync(join(cache, name)))).toEqual([]);
    expect(await read(place, digest)).toBe("a".repeat(60));
    expect(bucket.log.filter(({ method }) => method === "GET")).toHaveLength(1);
    expect(readdirSync(join(cache, "incoming"))).toEqual([]);
  });
});

describe("a store with a shared place", () => {
  it("reads what it had before, and puts what is new at the place", async () => {
    const own = openBlobFolder(temporaryFolder());
    const before = await put(own, "before");
    const shared = openBlobFolder(temporaryFolder(), { shared: true });
    const blobs = joinBlobs(own, shared);
    const after = await put(blobs, "after");
    expect(await listOf(own)).toEqual([before.digest]);
    expect(await listOf(shared)).toEqual([after.digest]);
    for (const { digest, bytes } of [before, after])
      expect(await blobs.has(digest, bytes)).toBe(true);
    expect(await read(blobs, before.digest)).toBe("before");
    await blobs.share(before.digest);
    expect(await read(shared, before.digest)).toBe("before");
    // A blob that is nowhere cannot be shared, and is no error before somebody wants it.
    await blobs.share(sha256("nowhere"));
    await expect(read(blobs, sha256("nowhere"))).rejects.toThrow("is missing");
  });
});

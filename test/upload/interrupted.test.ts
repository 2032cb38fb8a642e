import { readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { exitCodes } from "../../src/errors.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { rollBack } from "../../src/publish/rollback.ts";
import { article, body, ids, uuid } from "../mirror/fixture.ts";
import { type Bucket, startBucket } from "../support/bucket.ts";
import { startUploading, type Uploading, withVariables } from "./support.ts";

let archive: Uploading;
let bucket: Bucket;
let restore: () => void;

beforeEach(async () => {
  archive = startUploading();
  await archive.build();
  bucket = await startBucket();
  restore = withVariables(bucket.environment);
});
afterEach(async () => {
  restore();
  archive.close();
  await bucket.close();
});

const isOwn = (key: string): boolean => key.startsWith(".stillpress/");
const isLease = (key: string): boolean => key.endsWith("publishing.json");
const shown = (): string[] => [...bucket.objects.keys()].filter((key) => !isOwn(key)).sort();
const published = (): string[] => [...walkSorted(`${archive.out}/public/`)];

/** Links of pages that lead to nothing, followed from the home page. */
function brokenLinks(): string[] {
  const broken: string[] = [];
  const open = ["index.html"];
  const seen = new Set(open);
  for (let page = open.pop(); page !== undefined; page = open.pop()) {
    const text = bucket.objects.get(page)?.content.toString() ?? "";
    for (const [, href = ""] of text.matchAll(/(?:href|src)="([^"#?]+)[^"]*"/g)) {
      if (/^(?:[a-z]+:|\/)/i.test(href)) continue;
      const path = posix
        .join(dirname(page), decodeURIComponent(href))
        .replace(/(^|\/)$/, "$1index.html");
      if (!bucket.objects.has(path)) broken.push(`${page} -> ${path}`);
      else if (path.endsWith(".html") && !seen.has(path)) {
        seen.add(path);
        open.push(path);
      }
    }
  }
  return broken;
}

/** One article more, one less, and one with another title and a link to the new one. */
async function change(): Promise<void> {
  const added = uuid("a", 77);
  const all = [added, ...ids.articles.slice(0, 4)];
  const rows = all.map((id, at) => ({
    ...article(id, at),
    title: `Title ${at}`,
    slug: `now-${at}`,
  }));
  archive.fixture.write("articles", rows);
  const singles = rows.map((row, at) => ({
    ...row,
    body: `${body(at)}<p><a href="https://origin.test/articles/now-0">the new one</a></p>`,
  }));
  archive.fixture.write("articles.single", singles);
  await archive.build();
}

it("shows no broken link wherever a publish ends, and the next one sends what is missing", async () => {
  await archive.publish(bucket.name);
  expect(brokenLinks()).toEqual([]);
  const before = new Map(bucket.objects);
  await change();
  const sections = { publish: { keepDeleted: 0 } };
  const countOf = async (): Promise<number> => {
    const from = bucket.log.length;
    await archive.publish(bucket.name, { sections });
    return bucket.log.slice(from).filter(({ key }) => !isLease(key)).length;
  };
  const requests = await countOf();
  const after = new Map(bucket.objects);
  expect(shown()).toEqual(published());
  const differing = [...after].filter(
    ([key, { content }]) => !isOwn(key) && !before.get(key)?.content.equals(content),
  );
  expect(requests).toBeGreaterThan(60);
  for (let end = 1; end < requests; end += 3) {
    bucket.objects.clear();
    for (const [key, object] of before) bucket.objects.set(key, object);
    let left = end;
    const from = bucket.puts().length;
    bucket.failWith(({ key }) => (isLease(key) || left-- > 0 ? undefined : 403));
    const ended = archive.publish(bucket.name, { sections });
    await expect(ended).rejects.toMatchObject({ exitCode: exitCodes.credentials });
    expect(brokenLinks()).toEqual([]);
    bucket.failWith();
    await archive.publish(bucket.name, { sections });
    expect(shown()).toEqual(published());
    expect(brokenLinks()).toEqual([]);
    const puts = bucket.puts().slice(from);
    expect(puts.sort()).toEqual(differing.map(([key]) => key).sort());
  }
});

it("knows what a run has written that did not come to its end, also where another build follows", async () => {
  await archive.publish(bucket.name);
  const before = new Map(bucket.objects);
  await change();
  const added = published().filter((key) => !before.has(key));
  expect(added.length).toBeGreaterThan(1);
  let left = 60;
  bucket.failWith(({ key }) => (isLease(key) || left-- > 0 ? undefined : 403));
  await expect(archive.publish(bucket.name)).rejects.toMatchObject({ exitCode: 4 });
  bucket.failWith();
  const written = shown().filter((key) => bucket.objects.get(key) !== before.get(key));
  expect(written.some((key) => !before.has(key))).toBe(true);
  expect(written.some((key) => before.has(key))).toBe(true);
  await rollBack(archive.out, {});
  await archive.publish(bucket.name, { sections: { publish: { keepDeleted: 0 } } });
  expect(shown()).toEqual(published());
  for (const key of shown()) {
    expect([key, bucket.objects.get(key)?.content.toString("latin1")]).toEqual([
      key,
      readFileSync(join(archive.out, "public", key), "latin1"),
    ]);
  }
  const own = [...bucket.objects.keys()].filter(isOwn);
  expect(own).toEqual([".stillpress/deployed.ndjson"]);
});

it("goes on after failures that pass", async () => {
  const failures = [500, 503, "cut", 429, "half"] as const;
  bucket.failWith(({ count }) =>
    count % 7 === 0 ? failures[(count / 7) % failures.length] : undefined,
  );
  await archive.publish(bucket.name);
  expect(shown()).toEqual(published());
  // Each content is cut the first time it is asked for.
  const asked = new Set<string>();
  bucket.failWith(({ method, key }) => {
    const isFirst = method === "GET" && !asked.has(key);
    if (isFirst) asked.add(key);
    return isFirst ? "half" : undefined;
  });
  const { found } = await archive.publish(bucket.name, { check: true });
  expect(found).toEqual({ damaged: 0, foreign: 0 });
  expect(asked.size).toBeGreaterThan(100);
  bucket.failWith();
  expect(brokenLinks()).toEqual([]);
});

it("says so where a content never comes whole", async () => {
  await archive.publish(bucket.name);
  bucket.failWith(({ method, key }) =>
    method === "GET" && /deployed/.test(key) ? "half" : undefined,
  );
  const ended = archive.publish(bucket.name);
  await expect(ended).rejects.toMatchObject({ exitCode: exitCodes.origin });
  await expect(ended).rejects.toThrow(
    "deployed.ndjson: connection closed before the answer was complete",
  );
});

it("stops at a signal, and lets go of the target", async () => {
  const controller = new AbortController();
  bucket.failWith(({ count }) => {
    if (count === 30) controller.abort(new Error("stopped"));
    return undefined;
  });
  const ended = archive.publish(bucket.name, { signal: controller.signal });
  await expect(ended).rejects.toThrow("stopped");
  expect(shown().length).toBeLessThan(published().length);
  bucket.failWith();
  const { sent } = await archive.publish(bucket.name);
  expect(sent).toBeLessThan(published().length);
  expect(shown()).toEqual(published());
});

it("lets one of two publish, and ends with its archive", async () => {
  const other = startUploading();
  try {
    other.edit("Of the other machine");
    await other.build();
    const both = [archive, other];
    const ended = await Promise.allSettled(both.map((one) => one.publish(bucket.name)));
    const won = ended.findIndex(({ status }) => status === "fulfilled");
    const [lost] = ended.filter(({ status }) => status === "rejected");
    expect(lost).toMatchObject({ reason: { exitCode: exitCodes.locked } });
    const { read } = both[won] as Uploading;
    for (const key of shown()) {
      expect(bucket.objects.get(key)?.content.toString()).toBe(read(key));
    }
  } finally {
    other.close();
  }
});

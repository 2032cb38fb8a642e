import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes } from "../../src/errors.ts";
import { sha256 } from "../../src/lib/digest.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { rollBack } from "../../src/publish/rollback.ts";
import { article, ids } from "../mirror/fixture.ts";
import { type Bucket, type BucketOptions, startBucket } from "../support/bucket.ts";
import { startUploading, type Uploading, withVariables } from "./support.ts";

let archive: Uploading;
let bucket: Bucket;
let restore: () => void = () => {};

beforeEach(async () => {
  archive = startUploading();
  await archive.build();
  await open();
});
afterEach(async () => {
  restore();
  archive.close();
  await bucket.close();
});

/** Another bucket in the place of the first. */
async function open(options: BucketOptions = {}): Promise<void> {
  restore();
  await bucket?.close();
  bucket = await startBucket(options);
  restore = withVariables(bucket.environment);
}

const shownFiles = (): Map<string, string> => {
  const root = join(archive.out, "public");
  const paths = [...walkSorted(`${root}/`)];
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), "latin1")]));
};
/** What a bucket shows below a prefix, without what stillpress keeps for itself. */
const shownKeys = (prefix = ""): Map<string, string> => {
  const own = [...bucket.objects].filter(
    ([key]) => key.startsWith(prefix) && !key.startsWith(`${prefix}.stillpress/`),
  );
  return new Map(
    own.map(([key, { content }]) => [key.slice(prefix.length), content.toString("latin1")]),
  );
};
const sorted = (map: Map<string, string>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

/** The fixture without one of its articles. */
function without(at: number): void {
  const left = ids.articles.filter((_, one) => one !== at);
  archive.fixture.write("articles", left.map(article));
  archive.fixture.write("articles.single", left.map(article));
}

describe("a publish to a bucket", () => {
  it("sends every file with its headers, and then nothing", async () => {
    const first = await archive.publish(`${bucket.name}/a/b`);
    expect(first.sent).toBe(shownFiles().size);
    expect(sorted(shownKeys("a/b/"))).toEqual(sorted(shownFiles()));
    const headersOf = (key: string) => bucket.objects.get(`a/b/${key}`)?.headers;
    expect(headersOf("index.html")).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "public, max-age=300",
    });
    const asset = [...shownFiles().keys()].find((path) => /^assets\/style\./.test(path)) ?? "";
    expect(headersOf(asset)?.["cache-control"]).toBe("public, max-age=31536000, immutable");
    const [id] = ids.articles;
    expect(headersOf(`api/v1/articles/${id}.json`)?.["content-type"]).toBe("application/json");
    const saved = `api/v1/by/download/videos/${ids.video}/download/index.mp4`;
    expect(headersOf(saved)?.["content-disposition"]).toBe(
      "attachment; filename=\"Video.mp4\"; filename*=UTF-8''Video.mp4",
    );
    const before = bucket.log.length;
    const second = await archive.publish(`${bucket.name}/a/b`);
    expect(second).toMatchObject({ sent: 0, bytes: 0, generation: first.generation });
    // The lease, and one look at the manifest.
    expect(bucket.log.length - before).toBeLessThan(12);
  });

  it("sends what an edit changed, names the addresses, and runs the command that hears of them", async () => {
    await archive.publish(bucket.name);
    const before = shownFiles();
    archive.edit("Another title");
    await archive.build();
    const after = shownFiles();
    const differing = [...after].filter(([path, text]) => before.get(path) !== text);
    const heard = join(archive.out, "heard.json");
    const command = `cp "$STILLPRESS_CHANGES" "${heard}"; test -z "$STILLPRESS_TOKEN"`;
    const sections = { publish: { after: command } };
    const already = bucket.puts().length;
    const second = await archive.publish(bucket.name, { sections });
    expect(second.sent).toBe(differing.length);
    expect(bucket.puts().slice(already).sort()).toEqual(differing.map(([path]) => path).sort());
    expect(sorted(shownKeys())).toEqual(sorted(after));
    const [id] = ids.articles;
    const { addresses } = JSON.parse(readFileSync(heard, "utf8"));
    expect(addresses).toEqual(
      expect.arrayContaining(["/", "/index.html", "/articles/", `/api/v1/articles/${id}`]),
    );
    for (const [path] of differing) expect(addresses).toContain(`/${path}`);
    expect(archive.changes().told).toBe(true);
  });

  it("tells the command again where it has failed", async () => {
    const failing = { publish: { after: "exit 3" } };
    await expect(archive.publish(bucket.name, { sections: failing })).rejects.toThrow(
      "publish.after ended with 3",
    );
    expect(sorted(shownKeys())).toEqual(sorted(shownFiles()));
    const heard = join(archive.out, "heard.json");
    const sections = { publish: { after: `cp "$STILLPRESS_CHANGES" "${heard}"` } };
    await archive.publish(bucket.name, { sections });
    expect(JSON.parse(readFileSync(heard, "utf8")).addresses).toContain("/index.html");
  });

  it("leaves what the archive has no longer for a while, and then removes it", async () => {
    await archive.publish(bucket.name);
    without(4);
    await archive.build();
    const gone = [...shownKeys().keys()].filter((key) => !shownFiles().has(key));
    expect(gone.length).toBeGreaterThan(1);
    expect(await archive.publish(bucket.name)).toMatchObject({ leaving: gone.length, removed: 0 });
    for (const key of gone) expect(bucket.objects.has(key)).toBe(true);
    const later = withVariables({
      SOURCE_DATE_EPOCH: String(Math.floor(Date.now() / 1000) + 4000),
    });
    try {
      expect(await archive.publish(bucket.name)).toMatchObject({
        leaving: 0,
        removed: gone.length,
      });
    } finally {
      later();
    }
    expect(sorted(shownKeys())).toEqual(sorted(shownFiles()));
    for (const key of gone) expect(archive.changes().addresses).toContain(`/${key}`);
  });

  it("does not send again what comes back before it was removed", async () => {
    await archive.publish(bucket.name);
    without(4);
    await archive.build();
    const gone = [...shownKeys().keys()].filter((key) => !shownFiles().has(key));
    await archive.publish(bucket.name);
    await rollBack(archive.out, {});
    const before = bucket.puts().length;
    await archive.publish(bucket.name);
    for (const key of gone) expect(bucket.puts().slice(before)).not.toContain(key);
    expect(sorted(shownKeys())).toEqual(sorted(shownFiles()));
  });

  it("sends changed headers, and nothing else", async () => {
    await archive.publish(bucket.name);
    const manifest = bucket.objects.get(".stillpress/deployed.ndjson");
    expect(manifest?.content.toString()).toContain("max-age=300");
    const lines = manifest?.content.toString().replaceAll("max-age=300", "max-age=301").split("\n");
    const head = lines?.slice(0, -2).map((line) => `${line}\n`) ?? [];
    const sum = sha256(head.join(""));
    const content = Buffer.from(`${head.join("")}{"sum":"${sum}"}\n`);
    bucket.objects.set(".stillpress/deployed.ndjson", { headers: {}, etag: '"x"', content });
    const second = await archive.publish(bucket.name);
    expect(Object.keys(second.reasons)).toEqual(["headers"]);
    expect(second.sent).toBeGreaterThan(10);
    expect(second.unchanged).toBeGreaterThan(10);
  });

  it("gives the API's own paths as keys, where the store can hold them", async () => {
    const sections = { publish: { apiKeys: true } };
    await archive.publish(bucket.name, { sections });
    const [id = ""] = ids.articles;
    const [single, list] = [`api/v1/articles/${id}`, "api/v1/articles"];
    for (const key of [single, list]) {
      expect(bucket.objects.get(key)?.headers["content-type"]).toBe("application/json");
    }
    expect(bucket.objects.get(single)?.content).toEqual(
      bucket.objects.get(`${single}.json`)?.content,
    );
    expect([...bucket.objects.keys()].filter((key) => key.includes("twin"))).toEqual([]);
    await open({ twins: false });
    await expect(archive.publish(bucket.name, { sections })).rejects.toThrow("cannot hold");
    expect(shownKeys().size).toBe(0);
  });
});

describe("a guard", () => {
  it("refuses to let too much leave, before anything is sent", async () => {
    await archive.publish(bucket.name);
    const before = bucket.puts().length;
    without(4);
    archive.edit("Another title");
    await archive.build();
    const sections = { publish: { maxDeleted: { share: 0, files: 1 } } };
    const refused = archive.publish(bucket.name, { sections });
    await expect(refused).rejects.toMatchObject({ exitCode: exitCodes.guard });
    expect(bucket.puts().length).toBe(before);
    await archive.publish(bucket.name, { sections, allowDeletions: true });
    expect(bucket.puts().length).toBeGreaterThan(before);
  });

  it("refuses to replace a later build by an older one, but follows a rollback", async () => {
    const machine = startUploading();
    try {
      await machine.build({}, { now: () => new Date(Date.now() - 86_400_000) });
      await archive.publish(bucket.name);
      const shown = sorted(shownKeys());
      await expect(machine.publish(bucket.name)).rejects.toMatchObject({
        exitCode: exitCodes.guard,
      });
      expect(sorted(shownKeys())).toEqual(shown);
    } finally {
      machine.close();
    }
    archive.edit("Another title");
    await archive.build();
    await archive.publish(bucket.name);
    await rollBack(archive.out, {});
    await archive.publish(bucket.name);
    expect(sorted(shownKeys())).toEqual(sorted(shownFiles()));
  });

  it.each([
    ["s3://key:secret@bucket", "…@bucket"],
    ["ftp://host/x", "no place to publish to"],
    ["s3://bucket/../other", "no place to publish to"],
  ])("refuses %s", async (target, message) => {
    const refused = Promise.resolve().then(() => archive.publish(target));
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow("secret");
    await expect(refused).rejects.toMatchObject({ exitCode: exitCodes.usage });
  });

  it("refuses a folder in the output folder, and the other way round", () => {
    for (const path of [archive.out, join(archive.out, "public", "x"), join(archive.out, "..")]) {
      expect(() => archive.publish(`dir:${path}`)).toThrow("lie in each other");
    }
  });

  it("says what is wrong with the credentials or the bucket", async () => {
    const wrong = withVariables({ AWS_SECRET_ACCESS_KEY: "something else that is wrong" });
    try {
      const refused = archive.publish(bucket.name);
      await expect(refused).rejects.toMatchObject({ exitCode: exitCodes.credentials });
      await expect(refused).rejects.toThrow("SignatureDoesNotMatch");
    } finally {
      wrong();
    }
    const missing = archive.publish("s3://another");
    await expect(missing).rejects.toMatchObject({ exitCode: exitCodes.usage });
    await expect(missing).rejects.toThrow("NoSuchBucket");
  });

  it("sends no file that is not what the manifest says", async () => {
    const page = join(archive.out, "builds", archive.shown(), "public", "index.html");
    const { size } = statSync(page);
    rmSync(page);
    writeFileSync(page, "x".repeat(size));
    for (const target of [bucket.name, `dir:${archive.folder()}`]) {
      await expect(archive.publish(target)).rejects.toMatchObject({ exitCode: exitCodes.damaged });
    }
    expect(shownKeys().has("index.html")).toBe(false);
  });
});

describe("--dry-run and --check", () => {
  it("tells what would be sent, and sends nothing", async () => {
    const { sent, first, reasons } = await archive.publish(bucket.name, { dryRun: true });
    expect(sent).toBe(shownFiles().size);
    expect(reasons).toEqual({ new: sent });
    expect(first).toHaveLength(10);
    expect(bucket.objects.size).toBe(0);
    expect(existsSync(join(archive.out, "changes.json"))).toBe(false);
  });

  it("finds what is missing or damaged at the target, mends it, and leaves what is not ours", async () => {
    await archive.publish(bucket.name);
    bucket.objects.set("other/file.txt", { content: Buffer.from("x"), headers: {}, etag: '"o"' });
    bucket.objects.delete("index.html");
    const damaged = bucket.objects.get("articles/index.html");
    if (damaged) damaged.content = Buffer.from(damaged.content.map((byte) => byte ^ 1));
    const none = await archive.publish(bucket.name);
    expect(none.sent).toBe(0);
    const mended = await archive.publish(bucket.name, { check: true });
    expect(mended.found).toEqual({ damaged: 2, foreign: 1 });
    expect(mended.sent).toBe(2);
    expect(bucket.objects.has("other/file.txt")).toBe(true);
    bucket.objects.delete("other/file.txt");
    expect(sorted(shownKeys())).toEqual(sorted(shownFiles()));
  });
});

describe("a publish to a folder", () => {
  it("makes it what out/public is, readable for others, with the times of the files", async () => {
    const folder = archive.folder();
    const umask = process.umask(0o077);
    try {
      await archive.publish(`dir:${folder}/www`);
    } finally {
      process.umask(umask);
    }
    const www = join(folder, "www");
    const paths = [...walkSorted(www)].filter((path) => !path.startsWith(".stillpress/"));
    expect(paths).toEqual([...shownFiles().keys()]);
    for (const path of paths) {
      const { mode, mtimeMs } = statSync(join(www, path));
      expect(mode & 0o777).toBe(0o644);
      const { mtimeMs: own } = statSync(join(archive.out, "public", path));
      expect(Math.floor(mtimeMs / 1000)).toBe(Math.floor(own / 1000));
      expect(readFileSync(join(www, path), "latin1")).toBe(shownFiles().get(path));
    }
    expect(statSync(join(www, "articles")).mode & 0o777).toBe(0o755);
  });

  it("removes nothing outside, whatever somebody has written into its manifest", async () => {
    const folder = archive.folder();
    const www = join(folder, "www");
    await archive.publish(`dir:${www}`);
    const outside = join(folder, "outside.txt");
    writeFileSync(outside, "mine");
    const manifest = join(www, ".stillpress/deployed.ndjson");
    const lines = readFileSync(manifest, "utf8").split("\n").slice(0, -2);
    lines.push('{"path":"../outside.txt","sha256":"0","bytes":4,"headers":0,"left":1}');
    const text = `${lines.join("\n")}\n`;
    writeFileSync(manifest, `${text}{"sum":"${sha256(text)}"}\n`);
    const refused = archive.publish(`dir:${www}`);
    await expect(refused).rejects.toMatchObject({ exitCode: exitCodes.damaged });
    expect(readFileSync(outside, "utf8")).toBe("mine");
  });

  it("removes what has left, with its empty folders", async () => {
    const folder = archive.folder();
    await archive.publish(`dir:${folder}`);
    without(4);
    await archive.build();
    const sections = { publish: { keepDeleted: 0 } };
    await archive.publish(`dir:${folder}`, { sections });
    const paths = [...walkSorted(folder)].filter((path) => !path.startsWith(".stillpress/"));
    expect(paths).toEqual([...shownFiles().keys()]);
    await expect(
      Promise.resolve().then(() =>
        archive.publish(`dir:${folder}`, { sections: { publish: { apiKeys: true } } }),
      ),
    ).rejects.toMatchObject({ exitCode: exitCodes.usage });
  });
});

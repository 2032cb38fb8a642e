import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../src/lib/digest.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { command, type Press, startPress, stillpress } from "../support/archive.ts";
import { type Bucket, startBucket } from "../support/bucket.ts";

let press: Press;
let bucket: Bucket;
let folder: string;

beforeEach(async () => {
  press = await startPress({ size: { articles: 12, galleries: 3, images: 14 }, pressed: true });
  bucket = await startBucket();
  folder = mkdtempSync(join(tmpdir(), "stillpress-state-"));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bucket.close();
  await press.close();
});

const target = (): string => `${bucket.name}/state`;
const env = () => ({
  ...bucket.environment,
  STILLPRESS_TOKEN: press.origin.tokens.organisation,
});
/** Runs a command of one machine, with an output folder of its own. */
async function on(out: string, name: string, ...args: string[]) {
  const common = ["--config", press.configFile, "--out", out, "--json"];
  const { code, stdout, stderr } = await stillpress([name, ...args, ...common], { env: env() });
  return { code, stderr, said: stdout === "" ? undefined : JSON.parse(stdout) };
}
const save = (out: string, ...args: string[]) => on(out, "state", "save", target(), ...args);
const restore = (out: string, ...args: string[]) => on(out, "state", "restore", target(), ...args);
const machine = (name: string): string => join(folder, name);
/** What a store has that others need. */
function storeOf(out: string): Map<string, string> {
  const store = join(out, "store");
  const paths = [...walkSorted(store)].filter(
    (path) => !/^(?:prepared|damaged|blobs\/incoming)\/|^state\.json$/.test(path),
  );
  return new Map(paths.map((path) => [path, sha256(readFileSync(join(store, path)))]));
}
const lose = (out: string): void => rmSync(out, { recursive: true, force: true });

describe("a saved state", () => {
  it("gives an empty machine the store: nothing is downloaded, no file changes", async () => {
    const first = await save(press.out);
    expect(first).toMatchObject({ code: 0, said: { generation: 1 } });
    const before = storeOf(press.out);
    const other = machine("other");
    const restored = await restore(other);
    expect(restored).toMatchObject({ code: 0, said: { outcome: "restored", generation: 1 } });
    expect([...storeOf(other)]).toEqual([...before]);
    const night = await on(other, "snapshot");
    expect(night).toMatchObject({ code: 0, said: { downloads: 0, published: false } });
    expect(night.said.changes.files).toBeUndefined();
    const second = await save(other);
    expect(second).toMatchObject({ code: 0, said: { generation: 2 } });
    expect(second.said.sent).toBeLessThan(8);
    expect(await restore(other)).toMatchObject({ said: { outcome: "kept" } });
  });

  it("is sent only what changed, and gone on from where a restore was ended", async () => {
    await save(press.out);
    const { articles } = press.origin.content;
    articles.edit(articles.at(1)?.id ?? "", { title: "Of another night" });
    expect(await on(press.out, "snapshot")).toMatchObject({ code: 0 });
    const puts = bucket.puts().length;
    await save(press.out);
    const sent = bucket.puts().slice(puts);
    expect(sent.filter((key) => key.includes("/blobs/"))).toEqual([]);
    expect(sent.length).toBeLessThan(20);
    const other = machine("other");
    bucket.failWith(({ count }) => (count > 20 ? 403 : undefined));
    expect(await restore(other)).toMatchObject({ code: 4 });
    expect(existsSync(join(other, "store"))).toBe(false);
    bucket.failWith();
    const asked = new Set<string>();
    bucket.failWith(({ method, key }) => {
      const isFirst = method === "GET" && !asked.has(key);
      return isFirst && asked.add(key) ? "half" : undefined;
    });
    const again = await restore(other);
    bucket.failWith();
    expect(again.said.fetched).toBeLessThan(again.said.files);
    expect([...storeOf(other)]).toEqual([...storeOf(press.out)]);
  });

  it("stays whole where a save is killed", async () => {
    await save(press.out);
    const before = storeOf(press.out);
    const { articles } = press.origin.content;
    articles.edit(articles.at(1)?.id ?? "", { title: "Of another night" });
    await on(press.out, "snapshot");
    let left = 6;
    bucket.failWith(({ method }) => (method === "PUT" && left-- <= 0 ? "cut" : undefined));
    const args = ["state", "save", target(), "--out", press.out, "--quiet"];
    const child = spawn(process.execPath, [command, ...args], {
      env: { ...process.env, ...env() },
    });
    await delay(1_500);
    child.kill("SIGKILL");
    await once(child, "close");
    bucket.failWith();
    expect(await restore(machine("one"))).toMatchObject({ code: 0, said: { generation: 1 } });
    expect([...storeOf(machine("one"))]).toEqual([...before]);
    expect(await save(press.out)).toMatchObject({ code: 0, said: { generation: 2 } });
    await restore(machine("two"));
    expect([...storeOf(machine("two"))]).toEqual([...storeOf(press.out)]);
  });

  it("is that of one of two runners, whole", async () => {
    await save(press.out);
    const others = [machine("one"), machine("two")];
    for (const out of others) await restore(out);
    const { articles } = press.origin.content;
    for (const [at, out] of others.entries()) {
      articles.edit(articles.at(at)?.id ?? "", { title: `Of runner ${at}` });
      await on(out, "snapshot");
    }
    const ended = await Promise.all(others.map((out) => save(out)));
    const codes = ended.map(({ code }) => code);
    const won = codes.indexOf(0);
    expect([6, 10]).toContain(codes[1 - won]);
    await restore(machine("three"));
    expect([...storeOf(machine("three"))]).toEqual([...storeOf(others[won] ?? "")]);
    // The other one comes from a state that is no longer there.
    expect(await save(others[1 - won] ?? "")).toMatchObject({ code: 10 });
    expect(await save(others[1 - won] ?? "", "--force")).toMatchObject({ code: 0 });
  });

  it("keeps its blobs where a machine works without them", async () => {
    await save(press.out);
    const blobs = [...bucket.objects.keys()].filter((key) => key.includes("/blobs/"));
    const other = machine("other");
    await restore(other, "--without-blobs");
    expect([...storeOf(other).keys()].some((path) => path.startsWith("blobs/"))).toBe(false);
    expect(await on(other, "crawl")).toMatchObject({ code: 0 });
    // It is remembered, and need not be said again.
    expect(await save(other)).toMatchObject({ code: 0 });
    await restore(machine("full"));
    const has = [...storeOf(machine("full")).keys()].filter((path) => path.startsWith("blobs/"));
    expect(has).toHaveLength(blobs.length);
  });
});

describe("a restore", () => {
  it("says that there is no state yet, so that the first night can begin", async () => {
    expect(await restore(machine("new"))).toMatchObject({ code: 0, said: { outcome: "none" } });
    expect(existsSync(join(machine("new"), "store"))).toBe(false);
  });

  it("takes no store away that is another one", async () => {
    await save(press.out);
    const other = machine("other");
    await restore(other);
    await on(other, "snapshot");
    await save(other);
    const before = storeOf(press.out);
    const refused = await restore(press.out);
    expect(refused.code).toBe(2);
    expect([...storeOf(press.out)]).toEqual([...before]);
    expect(await restore(press.out, "--force")).toMatchObject({ code: 0 });
    expect(existsSync(join(press.out, "store.before"))).toBe(true);
    lose(join(press.out, "store.before"));
  });

  it("finds damage, and files that would lie elsewhere", async () => {
    await save(press.out);
    const key = [...bucket.objects.keys()].find((one) => one.includes("/files/")) ?? "";
    const object = bucket.objects.get(key);
    const { content } = object ?? { content: Buffer.alloc(0) };
    if (object) object.content = Buffer.from(content.map((byte) => byte ^ 1));
    expect(await restore(machine("one"))).toMatchObject({ code: 5 });
    if (object) object.content = content;
    const index = bucket.objects.get("state/index.ndjson");
    const lines = [
      '{"stillpressState":1}\n',
      `{"path":"../../evil","bytes":1,"sha256":"${sha256("x")}"}\n`,
    ];
    if (index) {
      index.content = Buffer.from(`${lines.join("")}{"sum":"${sha256(lines.join(""))}"}\n`);
    }
    expect(await restore(machine("two"))).toMatchObject({ code: 5 });
    expect(existsSync(join(folder, "evil"))).toBe(false);
  });
});

it("a state and an archive do not take each other's place", async () => {
  await save(press.out);
  const objects = bucket.objects.size;
  expect(await on(press.out, "publish", target(), "--force")).toMatchObject({ code: 10 });
  expect(bucket.objects.size).toBe(objects);
  expect(await on(press.out, "publish", `${bucket.name}/www`)).toMatchObject({ code: 0 });
  const other = await on(press.out, "state", "save", `${bucket.name}/www`, "--force");
  expect(other.code).toBe(10);
});

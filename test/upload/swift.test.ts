import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "../../src/lib/digest.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { openBucket } from "../../src/targets/s3.ts";
import { command, type Press, startPress, stillpress } from "../support/archive.ts";
import { found, reportMissing } from "../support/programs.ts";
import { type Swift, startSwift, swiftPrograms } from "../support/swift.ts";
import { withVariables } from "./support.ts";

const missing = swiftPrograms.filter((program) => !found(program));

describe.runIf(missing.length > 0)("a store that checks what it gets", () => {
  for (const program of missing) reportMissing(program);
});

describe.skipIf(missing.length > 0)("a store that checks what it gets", () => {
  let swift: Swift;
  let press: Press;
  let address: string;

  beforeAll(async () => {
    swift = await startSwift();
    address = await swift.makeBucket("archive");
    press = await startPress({ size: { articles: 20, galleries: 4, images: 24 }, pressed: true });
  });
  afterAll(async () => {
    await press?.close();
    await swift?.close();
  });

  const files = (): string[] => [...walkSorted(`${press.out}/public/`)];
  const publish = (...args: string[]) =>
    stillpress(["publish", "s3://archive/www", "--out", press.out, "--json", ...args], {
      env: swift.environment,
    });
  /** Asks the bucket itself, as readers do. */
  const verify = () =>
    stillpress(["verify", "--out", press.out, "--base-url", `${address}/www`, "--files"]);

  it("has the archive after a publish, and is sent nothing by another one", async () => {
    const first = await publish();
    expect(first).toMatchObject({ code: 0 });
    expect(JSON.parse(first.stdout)).toMatchObject({ sent: files().length, unchanged: 0 });
    expect(await verify()).toMatchObject({ code: 0 });
    const second = await publish();
    expect(JSON.parse(second.stdout)).toMatchObject({ sent: 0, unchanged: files().length });
  });

  it("is brought up to date by a night, whatever was killed before", async () => {
    const { articles } = press.origin.content;
    const id = articles.at(3)?.id ?? "";
    articles.edit(id, { title: "Of another night" });
    expect(await press.run("snapshot")).toMatchObject({ code: 0 });
    for (const ms of [300, 450, 600, 750]) {
      const child = spawn(
        process.execPath,
        [command, "publish", "s3://archive/www", "--out", press.out, "--quiet"],
        { env: { ...process.env, ...swift.environment }, stdio: "ignore" },
      );
      await delay(ms);
      child.kill("SIGKILL");
      await once(child, "close");
    }
    expect(await publish()).toMatchObject({ code: 0 });
    expect(await verify()).toMatchObject({ code: 0 });
    const page = await fetch(`${address}/www/api/v1/articles/${id}.json`);
    expect(await page.text()).toContain("Of another night");
  });

  it("answers the API's paths by itself, with publish.apiKeys", async () => {
    const settings = JSON.parse(readFileSync(press.configFile, "utf8"));
    const config = join(press.folder, "keys.json");
    writeFileSync(config, JSON.stringify({ ...settings, publish: { apiKeys: true } }));
    expect(await publish("--config", config)).toMatchObject({ code: 0 });
    const map = JSON.parse(readFileSync(join(press.out, "deploy/urlmap.json"), "utf8"));
    const plain = (map as { url: string; file: string; type: string }[]).filter(
      ({ url, type }) => !url.includes("?") && /^application\/json/.test(type),
    );
    expect(plain.length).toBeGreaterThan(50);
    let compared = 0;
    for (const { url, file, type } of plain) {
      const answer = await fetch(`${address}/www${url}`);
      expect([url, answer.status, answer.headers.get("content-type")]).toEqual([url, 200, type]);
      const own = await answer.json();
      if (url === `/${file}`) continue;
      const headers = { Authorization: `Bearer ${press.origin.tokens.organisation}` };
      const asked = await fetch(new URL(url, press.origin.baseUrl), { headers });
      expect([url, rowsOf(own)]).toEqual([url, rowsOf(await asked.json())]);
      compared++;
    }
    expect(compared).toBeGreaterThan(50);
  });

  it("refuses a body that is not what was signed, and says so as damage", async () => {
    const page = join(press.out, "public", "index.html");
    const text = readFileSync(page, "utf8");
    rmSync(page);
    writeFileSync(page, text.replace("<", "["));
    const damaged = await publish("--check");
    expect(damaged.code).toBe(0);
    const other = await stillpress(["publish", "s3://archive/other", "--out", press.out], {
      env: swift.environment,
    });
    expect(other.code).toBe(5);
    expect(other.stderr).toContain("index.html is not what the manifest of the build says");
  });

  it("takes a large file in parts, and shows it only when it is whole", async () => {
    const restore = withVariables(swift.environment);
    const path = join(press.folder, "large.bin");
    const content = randomBytes((11 << 20) + 7);
    writeFileSync(path, content);
    const target = openBucket("s3://archive", "archive", "large/", { partBytes: 5 << 20 });
    try {
      const headers = { "Content-Type": "video/mp4", "Cache-Control": "public, max-age=60" };
      const object = { key: "a b+é.mp4", bytes: content.length, headers, content: path };
      await expect(target.put({ ...object, sha256: sha256("other") })).rejects.toMatchObject({
        exitCode: 5,
      });
      const whole = { ...object, sha256: sha256(content) };
      expect(await target.has(whole)).toBe(false);
      await target.put(whole);
      expect(await target.has(whole)).toBe(true);
      const answer = await fetch(`${address}/large/${encodeURIComponent(object.key)}`);
      expect(answer.headers.get("content-type")).toBe("video/mp4");
      expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
      const listed: unknown[] = [];
      for await (const one of target.list("")) listed.push(one);
      expect(listed).toEqual([{ key: object.key, bytes: content.length }]);
      await target.remove(object.key);
      expect(await target.read(object.key, async () => true)).toBeUndefined();
    } finally {
      await target.close();
      restore();
    }
  });

  it.runIf(found("aws"))("has nothing that the command aws would send", () => {
    const { PATH = "" } = process.env;
    const args = [
      "s3",
      "sync",
      "--dryrun",
      "--size-only",
      "--delete",
      "--exclude",
      ".stillpress/*",
    ];
    const all = [...args, "--exclude", "api/*", `${press.out}/public/`, "s3://archive/www/"];
    const env = { PATH, ...swift.environment, AWS_DEFAULT_REGION: "us-east-1" };
    const endpoint = ["--endpoint-url", swift.url];
    expect(execFileSync("aws", [...endpoint, ...all], { env, encoding: "utf8" })).toBe("");
  });
});

/** What an answer of the API has, without links, which lead elsewhere. */
function rowsOf(answer: unknown): unknown[] {
  const { data } = answer as { data: unknown };
  return [data].flat().map((row) => ({ ...Object(row), links: undefined, body: undefined }));
}

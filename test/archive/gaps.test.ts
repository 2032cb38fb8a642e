import {
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { walkSorted } from "../../src/lib/files.ts";
import { type Press, startPress, stillpress } from "../support/archive.ts";
import { contents } from "../support/contents.ts";

const size = { articles: 6, galleries: 1, images: 8 };
let press: Press;
afterEach(() => press.close());

describe("the published archive", () => {
  it("stays when an image of it changed and cannot be had any more", async () => {
    press = await startPress({ size, pressed: true });
    const { run, out, origin } = press;
    const before = realpathSync(join(out, "public"));
    const [first] = origin.content.images;
    if (first === undefined) throw new Error("no image");
    const page = Buffer.from("<!doctype html><p>Sign in</p>");
    origin.content.images.edit(first.id, { title: "Another title", read: async () => page });
    const gaps = await run("snapshot");
    expect(gaps).toMatchObject({ code: 3, report: { published: false, exitCode: 3 } });
    expect(gaps.report.problems[0]?.subject).toContain(first.id);
    expect(realpathSync(join(out, "public"))).toBe(before);
    // The store knows of it, too: a build alone refuses just the same.
    expect(await run("build")).toMatchObject({ code: 3, report: { published: false } });
    const asked = await run("build", "--allow-incomplete");
    expect(asked).toMatchObject({
      code: 0,
      report: {
        complete: false,
        outcome: "published with 1 gap, as --allow-incomplete asks",
      },
    });
  });

  it("does not come about without a video, neither by a build alone", async () => {
    const page = /\/videos\/[^/?]+\/download/;
    press = await startPress({
      size,
      origin: {
        intercept: ({ url = "" }, response) => {
          if (!page.test(url)) return false;
          response.writeHead(200, { "content-type": "text/html" }).end("<p>Sign in</p>");
          return true;
        },
      },
    });
    const { run, out, origin } = press;
    const count = [...origin.content.videos].length;
    expect(count).toBeGreaterThan(0);
    expect((await run("crawl")).code).toBe(0);
    expect((await run("media")).code).toBe(3);
    const { code, report } = await run("build");
    expect([code, readdirSync(out).includes("public")]).toEqual([3, false]);
    expect(report.error?.message).toMatch(
      new RegExp(
        `${count} of ${count} videos? missing: video ${[...origin.content.videos][0]?.id}`,
      ),
    );
    expect(await run("build", "--allow-incomplete")).toMatchObject({
      code: 0,
      report: { complete: false, output: { missing: count } },
    });
  });

  it("is never made of damaged blobs", async () => {
    press = await startPress({ size, pressed: true });
    const { run, out } = press;
    const blobs = join(out, "store", "blobs");
    const victim = [...walkSorted(blobs)].find((path) => !path.startsWith("incoming")) as string;
    const bytes = readFileSync(join(blobs, victim));
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    // What is published shares the file by a hard link, so the damage is done to a copy.
    rmSync(join(blobs, victim));
    writeFileSync(join(blobs, victim), bytes);
    rmSync(join(out, "builds"), { recursive: true });
    rmSync(join(out, "public"));
    const damaged = await run("build");
    expect(damaged.code).toBe(5);
    expect(damaged.report.error?.message).toContain("is damaged");
    expect(readdirSync(out)).not.toContain("public");
    rmSync(join(blobs, victim));
    // The same files as before are no news.
    expect(await run("snapshot")).toMatchObject({ code: 0, report: { published: false } });
    expect(readdirSync(out)).toContain("public");
  });

  it("is mended from the origin where blobs were cut short", async () => {
    press = await startPress({ size, pressed: true });
    const { run, out } = press;
    const manifest = readFileSync(
      join(realpathSync(join(out, "public")), "..", "manifest.ndjson"),
      "utf8",
    );
    const blobs = join(out, "store", "blobs");
    rmSync(join(out, "builds"), { recursive: true });
    rmSync(join(out, "public"));
    for (const path of walkSorted(blobs)) truncateSync(join(blobs, path), 100);
    expect((await run("snapshot")).code).toBe(0);
    expect(
      readFileSync(join(realpathSync(join(out, "public")), "..", "manifest.ndjson"), "utf8"),
    ).toBe(manifest);
  });

  it("does not get the token from the origin's content, not even by an offline build", async () => {
    const token = "secret-token-7f1c0e5d";
    press = await startPress({ size, origin: { tokens: { organisation: token, user: "user" } } });
    const { run, out, origin } = press;
    const [article] = origin.content.articles;
    origin.content.articles.edit(article?.id as string, { title: `Title with ${token}` });
    await run("crawl");
    await run("media");
    await stillpress(["build", "--config", press.configFile]);
    const found = [...contents(out)].filter(({ bytes }) => bytes.includes(token));
    expect(found).toEqual([]);
  });
});

describe("--json", () => {
  it("gives one object also for a run that could not begin", async () => {
    press = await startPress({ size });
    const broken = join(press.folder, "broken.json");
    writeFileSync(broken, "{}");
    const run = await stillpress(["snapshot", "--config", broken, "--json"]);
    expect(run.code).toBe(2);
    expect(JSON.parse(run.stdout)).toMatchObject({
      exitCode: 2,
      error: { message: expect.stringContaining("origin") },
    });
  });
});

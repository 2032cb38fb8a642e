import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Press, startPress, stillpress } from "../support/archive.ts";

/*
 * The API document labels articles, galleries and tags "Organisation" and "Media", images "Organisation" and "User":
 * a Media token gets the image objects of attachment lists, and no image index.
 */

let press: Press;

beforeAll(async () => {
  press = await startPress({
    size: { articles: 6, galleries: 1, images: 8 },
    origin: {
      intercept: ({ url = "" }, response) => {
        if (!/^\/api\/v1\/images(?:\?|$|\/[^./]+$)/.test(url)) return false;
        response.writeHead(403, { "content-type": "application/json" }).end("{}");
        return true;
      },
    },
  });
});

afterAll(() => press.close());

it.each(["init", "doctor", "plan"])(
  "is told first by %s, with the number of pictures",
  async (command) => {
    const config = join(press.folder, `${command}.json`);
    const { baseUrl, tokens } = press.origin;
    if (command !== "init")
      writeFileSync(config, JSON.stringify({ origin: { baseUrl, paths: { images: null } } }));
    const args = [command, "--config", config, "--out", join(press.folder, command)];
    if (command === "init") args.push("--base-url", baseUrl);
    const { stdout } = await stillpress(args, { env: { STILLPRESS_TOKEN: tokens.organisation } });
    const [first = ""] = stdout.split("\n");
    const attached = [...press.origin.content.articles, ...press.origin.content.galleries].reduce(
      (sum, { images }) => sum + images.length,
      0,
    );
    expect(first).toMatch(new RegExp(`^! .*about ${attached} attached pictures are not published`));
    expect(stdout).toContain('media.unproved to "publish"');
  },
);

/** Merges settings into the configuration. */
function configure(section: string, settings: object): void {
  const config = JSON.parse(readFileSync(press.configFile, "utf8"));
  config[section] = { ...config[section], ...settings };
  writeFileSync(press.configFile, JSON.stringify(config));
}

it("is told by the first night how it gets an archive, and gets one", async () => {
  const first = await press.run("snapshot");
  expect([first.code, first.report.problems.length]).toEqual([3, 1]);
  expect(first.report.problems[0]?.hint).toMatch(
    /origin\.paths\.images: null .* (\d+) attached images .*media\.unproved/,
  );

  configure("origin", { paths: { images: null } });
  const second = await press.run("snapshot");
  expect(second).toMatchObject({ code: 0, report: { complete: true, problems: [] } });
  const held = second.report.output?.held ?? 0;
  expect(held).toBeGreaterThan(0);
  const hint = 'if all that the token sees may be public, set media.unproved to "publish"';
  const told = `${held} pictures are not published: this token has no index of images`;
  const said = { text: expect.stringContaining(told), hint };
  expect(second.report.warnings).toContainEqual(said);
  expect(second.stderr).toContain(`warning: ${told}`);
  // Once is enough: nothing of it is new.
  expect((await press.run("snapshot")).report.warnings).not.toContainEqual(said);
  expect(first.report.problems[0]?.hint).toContain(`that ${held} attached images`);
  expect(existsSync(join(press.out, "public/api/v1/images/index.json"))).toBe(false);

  configure("media", { unproved: "publish" });
  const third = await press.run("snapshot");
  expect(third).toMatchObject({ code: 0, report: { output: { held: 0, missing: 0 } } });
  expect(third.report.warnings.filter(({ text }) => text.includes("pictures"))).toEqual([]);
  expect((await press.run("verify")).code).toBe(0);
}, 120_000);

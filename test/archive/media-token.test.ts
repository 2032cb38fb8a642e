import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Press, startPress } from "../support/archive.ts";

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
  expect(first.report.problems[0]?.hint).toContain(`that ${held} attached images`);
  expect(existsSync(join(press.out, "public/api/v1/images/index.json"))).toBe(false);

  configure("media", { unproved: "publish" });
  const third = await press.run("snapshot");
  expect(third).toMatchObject({ code: 0, report: { output: { held: 0, missing: 0 } } });
  expect((await press.run("verify")).code).toBe(0);
}, 120_000);

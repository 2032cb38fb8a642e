import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { WorldCase } from "../case.ts";
import { giveUndecodable } from "../undecodable.ts";
import { picture } from "../world.ts";

export const worldCase: WorldCase = {
  says: "an original is a JPEG XL, and the origin's web version is gone",
  source: "a cache of web versions that was emptied",
  async change(world) {
    const original = Buffer.from("\xff\x0a\xfa\x7f\x01\x02", "latin1");
    await giveUndecodable(world, original, { "content-type": "image/jxl" });
    world.files[`/images/${picture}.jpg`] = { status: 404, body: "Not found" };
  },
  pictures: 0,
  also({ out }) {
    const report = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
    expect([report.exitCode, report.problems]).toEqual([0, []]);
    expect(JSON.stringify(report.media.remarks)).toContain("image/jxl cannot be decoded here");
    // Once: a file of the recorded size is the origin's.
    expect(report.downloads).toBe(2);
  },
};

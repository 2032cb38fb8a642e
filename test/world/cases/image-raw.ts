import { expect } from "vitest";
import type { WorldCase } from "../case.ts";
import { expectWebVersion, giveUndecodable } from "../undecodable.ts";
import { picture } from "../world.ts";

export const worldCase: WorldCase = {
  says: "an original is a raw file of a camera, whose type only its name tells",
  source: "Fujifilm RAF: no registered media type",
  async change(world) {
    const original = Buffer.from("FUJIFILMCCD-RAW 0201FF119505X-T5\0\0\x01\x02", "latin1");
    await giveUndecodable(world, original, {
      "content-type": "application/octet-stream",
      "content-disposition": 'attachment; filename="DSCF0815.RAF"',
    });
  },
  pictures: 1,
  async also(archive) {
    await expectWebVersion(archive);
    const { page, world } = archive;
    await page.goto(page.url().replace(/articles\/.*$/, `images/${picture}.html`));
    const saved = page.locator("a.button[download]");
    expect(await saved.getAttribute("download")).toBe("DSCF0815.raf");
    expect(world.images).toHaveLength(2);
  },
};

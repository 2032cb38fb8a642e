import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { WorldCase } from "../case.ts";
import { attachDocument, document } from "../world.ts";

export const worldCase: WorldCase = {
  says: "only the record of a document names its type",
  source: "uploads to Amazon S3 without a content type, with the type in a column of their own",
  change(world) {
    const body = Buffer.from("name;depth\nNorth pier;4\n");
    attachDocument(world, { title: "Depths", filesize: body.length, mime_type: "text/csv" });
    world.files[`/documents/${document}/download`] = {
      headers: { "content-type": "binary/octet-stream" },
      body,
    };
  },
  shows: ["Depths", "CSV"],
  async also({ out, page }) {
    const saved = page.locator("a[download]").first();
    expect(await saved.getAttribute("download")).toBe("Depths.csv");
    const folders = readdirSync(join(out, "public/media"));
    const files = folders.flatMap((folder) => readdirSync(join(out, "public/media", folder)));
    expect(files).toEqual([expect.stringMatching(/\.csv$/)]);
  },
};

import { expect } from "vitest";
import type { WorldCase } from "../case.ts";
import { attachDocument, document } from "../world.ts";

export const worldCase: WorldCase = {
  says: "a document has its name in Content-Disposition, as raw UTF-8",
  source: "PHP: header('Content-Disposition: attachment; filename=\"' . $name . '\"')",
  change(world) {
    const body = Buffer.from("%PDF-1.4\n%%EOF\n");
    attachDocument(world, { title: "Survey", filesize: body.length });
    const name = Buffer.from("Küstenbericht 2024.pdf").toString("latin1");
    world.files[`/documents/${document}/download`] = {
      headers: {
        "content-type": "application/pdf",
        "content-disposition": `attachment; filename="${name}"`,
      },
      body,
    };
  },
  shows: ["Survey"],
  async also({ page }) {
    const link = page.locator("a[download]").first();
    expect(await link.getAttribute("download")).toBe("Küstenbericht 2024.pdf");
    expect(await link.innerText()).toMatch(/^PDF, 15/);
  },
};

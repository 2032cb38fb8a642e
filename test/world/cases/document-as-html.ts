import type { WorldCase } from "../case.ts";
import { attachDocument, document } from "../world.ts";

export const worldCase: WorldCase = {
  says: "a document is a page in HTML",
  source: "an upload of a saved page",
  change(world) {
    const body = Buffer.from("<!doctype html><title>Tides</title><p>High at noon</p>");
    attachDocument(world, { title: "tides.html", filesize: body.length });
    world.files[`/documents/${document}/download`] = {
      headers: { "content-type": "text/html" },
      body,
    };
  },
  shows: ["tides.html"],
};

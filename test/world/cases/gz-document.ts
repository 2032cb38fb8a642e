import { gzipSync } from "node:zlib";
import type { WorldCase } from "../case.ts";
import { attachDocument, document } from "../world.ts";

export const worldCase: WorldCase = {
  says: "a document is packed by itself and labelled x-gzip",
  source: "Apache, AddEncoding x-gzip .gz",
  change(world) {
    const body = gzipSync("A table of tides");
    attachDocument(world, { title: "tides.csv.gz", filesize: body.length });
    world.files[`/documents/${document}/download`] = {
      headers: { "content-type": "text/csv", "content-encoding": "x-gzip" },
      body,
    };
  },
  shows: ["tides.csv.gz"],
};

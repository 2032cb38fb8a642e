import type { WorldCase } from "../case.ts";
import { attachDocument } from "../world.ts";

export const worldCase: WorldCase = {
  says: "a document names no file",
  source: "the API document: item fields of documents are not shown",
  change(world) {
    attachDocument(world, { title: "Tides", links: { download: null } });
  },
  shows: ["Tides"],
};

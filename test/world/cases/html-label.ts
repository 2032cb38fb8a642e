import type { WorldCase } from "../case.ts";
import { changeHeaders } from "../world.ts";

export const worldCase: WorldCase = {
  says: "JSON is sent as text/html",
  source: "php.net, default_mimetype: text/html without header()",
  change(world) {
    changeHeaders(world, { "content-type": "text/html; charset=UTF-8" });
  },
  pictures: 1,
};

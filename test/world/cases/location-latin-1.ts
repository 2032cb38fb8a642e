import type { WorldCase } from "../case.ts";
import { type Answer, picture } from "../world.ts";

export const worldCase: WorldCase = {
  says: "a redirect to a file has raw bytes",
  source: "RFC 9110, 5.5: obs-text; header() of a PHP script in Latin-1",
  change(world) {
    const path = `/images/${picture}/download`;
    world.files["/files/gr%F6%DFe.png"] = world.files[path] as Answer;
    const headers = { location: "/api/v1/files/gr\u00f6\u00dfe.png" };
    world.files[path] = { status: 302, headers, body: "" };
  },
  pictures: 1,
};

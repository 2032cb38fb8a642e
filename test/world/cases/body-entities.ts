import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "a title has character references",
  source: "WordPress, the_title: wptexturize",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { title: "What&#8217;s &amp; was" });
  },
  shows: ["What’s & was"],
};

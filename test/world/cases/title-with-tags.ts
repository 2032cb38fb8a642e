import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "a title has tags",
  source: "WordPress, the_title with the markup of its author",
  change(world) {
    Object.assign(world.articles[1] ?? {}, {
      title: "The <em>Odd</em> article <script>alert(1)</script>",
    });
  },
  // Inline markup is shown as meant; any other tag is what the title says.
  shows: ["The Odd article <script>alert(1)</script>"],
};

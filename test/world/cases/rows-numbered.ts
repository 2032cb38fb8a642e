import type { WorldCase } from "../case.ts";
import { changeLists } from "../world.ts";

export const worldCase: WorldCase = {
  says: "lists are objects with places, from which the origin has taken something",
  source: "PHP: json_encode(array_filter($rows)), Laravel's Collection::filter without values()",
  change(world) {
    changeLists(world, (list) => {
      list.data = Object.fromEntries(list.data.map((row, at) => [at * 2 + 1, row])) as never;
    });
  },
  shows: ["Odd article", "The odd text."],
  pictures: 1,
};

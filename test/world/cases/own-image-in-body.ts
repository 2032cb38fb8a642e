import type { WorldCase } from "../case.ts";
import { odd, picture } from "../world.ts";

export const worldCase: WorldCase = {
  says: "a body shows an image of the service",
  source: "the API document: signed links of images",
  change(world) {
    world.bodies[odd] =
      `<p>Look:</p><img src="${world.base}/images/${picture}.jpg?expires=4102444800&amp;signature=0123abcd" alt="Sea">`;
  },
  pictures: 1,
};

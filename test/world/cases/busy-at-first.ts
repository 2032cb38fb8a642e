import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "the first answers are 503",
  source: "RFC 9110, 15.6.4: a server that restarts",
  change(world) {
    let left = 5;
    world.alter = (answer) => (left-- > 0 ? { status: 503, body: {} } : answer);
  },
  pictures: 1,
};

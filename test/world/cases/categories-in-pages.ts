import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "categories come with meta",
  source: "the API document: not paginated; the envelope is that of other indexes",
  change(world) {
    world.alter = (answer) => {
      const body = answer.body as { data: unknown };
      return Array.isArray(body.data)
        ? { ...answer, body: { ...body, meta: { total: body.data.length } } }
        : answer;
    };
  },
  pictures: 1,
};

import type { WorldCase } from "../case.ts";
import { odd } from "../world.ts";

export const worldCase: WorldCase = {
  says: "a body comes from Word",
  source: "Microsoft Office HTML: mso styles and o:p",
  change(world) {
    world.bodies[odd] =
      '<p class="MsoNormal" style="mso-margin-top-alt:auto">Text of Word<o:p></o:p></p><![if !supportLists]>·<![endif]>';
  },
  shows: ["Text of Word"],
};

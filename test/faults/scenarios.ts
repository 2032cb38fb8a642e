import type { Scenario } from "./scenario.ts";
import { ageing } from "./scenarios/ageing.ts";
import { browser } from "./scenarios/browser.ts";
import { canaries } from "./scenarios/canaries.ts";
import { disk } from "./scenarios/disk.ts";
import { flips } from "./scenarios/flips.ts";
import { fortnight } from "./scenarios/fortnight.ts";
import { governor } from "./scenarios/governor.ts";
import { hostile } from "./scenarios/hostile.ts";
import { kill } from "./scenarios/kill.ts";
import { moving } from "./scenarios/moving.ts";
import { names } from "./scenarios/names.ts";
import { network } from "./scenarios/network.ts";
import { simultaneousStarts } from "./scenarios/starts.ts";
import { workers } from "./scenarios/workers.ts";
import { zoo } from "./scenarios/zoo.ts";

/** All scenarios, the long ones first: they run side by side, and none of those is to be left over in the end. */
export const scenarios: readonly Scenario[] = [
  zoo,
  kill,
  network,
  disk,
  names,
  fortnight,
  governor,
  browser,
  canaries,
  hostile,
  moving,
  workers,
  ageing,
  flips,
  simultaneousStarts,
];

import type { Page } from "playwright-core";
import type { World } from "./world.ts";

/** One odd answer of an origin, and what a night must make of it. */
export interface WorldCase {
  /** The outcome, as a sentence: the name of the test. */
  says: string;
  /** Where such an answer is documented, or who was seen to send it. */
  source: string;
  /** Puts the oddity into the plain world. */
  change: (world: World) => void | Promise<void>;
  /** Sections of the configuration, where the case needs other settings than the plain ones. */
  config?: Record<string, Record<string, unknown>>;
  /** 0 where it is left out: what is only odd is published. */
  exitCode?: number;
  /** Text that the page of the odd article shows, and text that it does not. */
  shows?: string[];
  hides?: string[];
  /** Pictures that are seen on that page, each with pixels of its own. */
  pictures?: number;
  /** Ids that the archive may lack. */
  lacks?: string[];
  /** Ids of items whose file may be another than the origin's. */
  withoutFile?: string[];
  /** Whatever else is to be seen; `out` is the output folder. */
  also?: (archive: { out: string; page: Page; world: World }) => void | Promise<void>;
}

import { z } from "zod";
import { andMore } from "./words.ts";

/** Work that is counted while it goes on. */
export interface Progress {
  advance(items?: number): void;
  /** Corrects the total. */
  expect(total: number): void;
  /** What is going on; replaces the last note. */
  note(text: string): void;
  end(summary?: string): void;
}

/** A failure kept as data and reported at the end. */
export const Problem = z.object({
  /** Which item, such as `image 7f3c…` or `GET /articles?page=4: data[3]`. */
  subject: z.string(),
  /** Id and title of an item that could not be read, which may be a private one: for `report.json` alone. */
  item: z.string().optional(),
  /** Of an item in the snapshot, and its page at the origin: for `report.json` alone, too. */
  title: z.string().optional(),
  link: z.string().nullish(),
  /** What happened to it, lower case, without secrets. */
  reason: z.string(),
  hint: z.string().optional(),
});
export type Problem = z.infer<typeof Problem>;

/** What is odd and no gap. */
export type Remark = Problem;

/** One remark on some items, of which it names the first; none on none. */
export function remarkOn(items: readonly string[], reason: string): Remark[] {
  const subject = items.slice(0, 3).join(", ") + andMore(items.length - 3);
  return items.length === 0 ? [] : [{ subject, reason }];
}

/** Where a run tells what it does. */
export interface Reporter {
  /** Starts a counted stage; `total` is undefined while unknown. */
  stage(name: string, total?: number): Progress;
  /** A line for the log. */
  info(text: string): void;
  /** Something to know although the run goes on. */
  warn(text: string, hint?: string): void;
  problem(problem: Problem): void;
}

const silentProgress: Progress = { advance() {}, expect() {}, note() {}, end() {} };

export const silent: Reporter = {
  stage: () => silentProgress,
  info() {},
  warn() {},
  problem() {},
};

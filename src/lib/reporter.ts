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
export interface Problem {
  /** Which item, such as `image 7f3c…` or `GET /articles?page=4`. */
  subject: string;
  /** What happened to it, lower case, without secrets. */
  reason: string;
  hint?: string;
}

/** What is odd and no gap. */
export type Remark = Problem;

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

/** Work that is counted while it goes on, such as the crawl of one index. */
export interface Progress {
  advance(items?: number): void;
  /** Corrects the expected total when more is known. */
  expect(total: number): void;
  /** What is being done just now or waited for; replaces the last note. */
  note(text: string): void;
  end(summary?: string): void;
}

/** A failure kept as data: one item that could not be had, reported at the end. */
export interface Problem {
  /** Which item, such as `image 7f3c…` or `GET /articles?page=4`. */
  subject: string;
  /** What happened to it, lower case, without secrets. */
  reason: string;
  hint?: string;
}

/** Something worth saying about an item, a list or a setting that is no gap in the archive. */
export type Remark = Problem;

/** Where a run tells what it does. Implementations live in the command; everything below only calls them. */
export interface Reporter {
  /** Starts a counted stage; `total` is undefined while unknown. */
  stage(name: string, total?: number): Progress;
  /** One line that is worth reading in a log. */
  info(text: string): void;
  /** Something the reader should know although the run goes on. */
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

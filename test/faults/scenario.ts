/** One proof under fault: it does harm on purpose, counts, and names what broke a rule. */
export interface Scenario {
  /** One word, as `--only` takes it. */
  name: string;
  /** What it shows, in one line. */
  what: string;
  /** It measures times, so that nothing else should run beside it. */
  alone?: boolean;
  run(context: FaultContext): Promise<Finding>;
}

export interface FaultContext {
  /** Whether the long form was asked for: more points, more seeds, hours instead of minutes. */
  long: boolean;
  /** Just enough to see whether a rule holds at all: for runs on planted mistakes. */
  brief: boolean;
  /** Of every random choice; the same seed makes the same choices. */
  seed: number;
  /** An empty folder of this scenario's own, removed at the end. */
  folder: string;
  /** Tells how far a scenario is, on stderr. */
  note(text: string): void;
}

export interface Finding {
  /** What was done and counted, a figure a line: `5,312 crash points over 4 models`. */
  figures: string[];
  /** What broke a rule; empty where all is well. */
  violations: string[];
}

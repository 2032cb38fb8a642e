import { linesOf } from "../lib/pieces.ts";
import type { Spool } from "./spool.ts";

/** Lines that are sorted in memory; the rest lies in the temporary file, in runs that are sorted each. */
const linesAtOnce = 20_000;

/** ASCII lines in the order of their bytes: any number of them in little memory. */
export class SortedLines {
  readonly #spool: Spool;
  readonly #runs: { from: number; to: number }[] = [];
  #waiting: string[] = [];

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  /** @param line without an end, and without one inside */
  add(line: string): void {
    this.#waiting.push(line);
    if (this.#waiting.length >= linesAtOnce) this.#endRun();
  }

  /** All of them, without ends. */
  async *lines(): AsyncGenerator<string> {
    this.#endRun();
    const runs = this.#runs.map(({ from, to }) => linesOf(this.#spool.pieces(from, to)));
    const heads = await Promise.all(runs.map(async (run) => ({ run, line: await nextOf(run) })));
    for (;;) {
      let first: (typeof heads)[number] | undefined;
      for (const head of heads) {
        if (head.line === undefined) continue;
        if (first?.line === undefined || head.line < first.line) first = head;
      }
      if (first?.line === undefined) return;
      yield first.line;
      first.line = await nextOf(first.run);
    }
  }

  #endRun(): void {
    const from = this.#spool.bytes;
    for (const line of this.#waiting.sort()) this.#spool.write(`${line}\n`);
    this.#runs.push({ from, to: this.#spool.bytes });
    this.#waiting = [];
  }
}

async function nextOf(lines: AsyncGenerator<Buffer>): Promise<string | undefined> {
  const { value, done } = await lines.next();
  return done ? undefined : value.toString("latin1");
}

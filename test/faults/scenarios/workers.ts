import { statSync } from "node:fs";
import { join } from "node:path";
import { walkSorted } from "../../../src/lib/files.ts";
import { dice } from "../../../src/lib/random.ts";
import { type Fleet, startFleet, until, type Worker } from "../../engine/fleet.ts";
import type { FaultContext, Finding, Scenario } from "../scenario.ts";
import { differenceOf, treeOf } from "../support/trees.ts";

/** What is done to a night, while so many pictures are rendered. `lost` is a Redis that restarts without its data. */
const sizes = {
  brief: { images: 60, worker: 2, run: 1, redis: 1, lost: 1 },
  short: { images: 200, worker: 6, run: 3, redis: 1, lost: 1 },
  long: { images: 2_150, worker: 50, run: 20, redis: 5, lost: 5 },
};
type Blow = "worker" | "run" | "redis" | "lost";

const workersAtOnce = 3;
/** Results that may be missing until the end is only waited for. */
const restMs = 300_000;

/** A night with workers, of which everything is killed again and again. */
export const workers: Scenario = {
  name: "workers",
  what: "killed workers, runs and queues lose nothing, and nothing that was done is done again",
  alone: true,
  async run(context) {
    const size = sizes[context.long ? "long" : context.brief ? "brief" : "short"];
    const fleet = await startFleet({
      press: { size: { articles: 10, galleries: 2, images: size.images } },
      engine: { patience: 120 },
    });
    try {
      tellApart(fleet);
      return await new Night(fleet, context).suffer(size);
    } finally {
      await fleet.close();
    }
  },
};

/** The demo has a hundred pictures, and more images of them: a comment makes each one another file. */
function tellApart({ press }: Fleet): void {
  const { images } = press.origin.content;
  for (const [n, { id, mime, filesize, read }] of [...images].entries()) {
    if (mime !== "image/jpeg" || n < 100) continue;
    const comment = Buffer.from([0xff, 0xfe, 0, 6, 0, 0, n >> 8, n & 255]);
    images.edit(id, {
      filesize: filesize + comment.length,
      async read() {
        const bytes = await read();
        return Buffer.concat([bytes.subarray(0, 2), comment, bytes.subarray(2)]);
      },
    });
  }
}

class Night {
  readonly #fleet: Fleet;
  readonly #context: FaultContext;
  readonly #workers: Worker[] = [];
  /** When each result was written. */
  readonly #written = new Map<string, number>();
  readonly #violations: string[] = [];
  #killRun = (): void => {};
  #code: number | null | undefined;
  readonly #struck = { worker: 0, run: 0, redis: 0, lost: 0 };

  constructor(fleet: Fleet, context: FaultContext) {
    this.#fleet = fleet;
    this.#context = context;
  }

  async suffer(size: (typeof sizes)["long"]): Promise<Finding> {
    const random = dice(this.#context.seed);
    const all = (["worker", "run", "redis", "lost"] as const).flatMap((blow) =>
      Array.from({ length: size[blow] }, () => blow),
    );
    const blows = random.shuffled(all);
    for (let n = 0; n < workersAtOnce; n++) this.#workers.push(await this.#fleet.startWorker());
    this.#start();
    for (const [n, blow] of blows.entries()) {
      const due = Math.floor(((n + 1) * size.images * 0.8) / (blows.length + 1));
      await until(() => this.#results() >= due || this.#code !== undefined, restMs);
      if (this.#code !== undefined) break;
      this.#context.note(`${n} of ${blows.length} blows, ${this.#written.size} results`);
      await this.#strike(blow, random.roll(workersAtOnce));
    }
    await until(() => this.#results() >= 0 && this.#code !== undefined, restMs);
    if (this.#code !== 0) this.#violations.push(`the last run ended with ${this.#code}`);
    await this.#compare();
    const { worker, run, redis, lost } = this.#struck;
    for (const blow of blows.slice(worker + run + redis + lost))
      this.#violations.push(`the night was over before a ${blow} was killed`);
    const text = `${worker} workers, ${run} runs and ${redis + lost} queues (${lost} without their data) were killed`;
    const figures = [`${this.#written.size} jobs; ${text}`];
    return { figures, violations: this.#violations };
  }

  /** Begins the night, or goes on with it. */
  #start(): void {
    this.#code = undefined;
    const started = (child: { kill(signal: "SIGKILL"): unknown }): void => {
      this.#killRun = () => child.kill("SIGKILL");
    };
    void this.#fleet.run("snapshot", [], { started }).then(({ code, stderr }) => {
      // A run that was killed has no code.
      if (code === null) return this.#start();
      if (code !== 0) this.#violations.push(stderr.slice(-500));
      this.#code = code;
    });
  }

  async #strike(blow: Blow, which: number): Promise<void> {
    this.#struck[blow]++;
    if (blow === "run") return this.#killRun();
    if (blow === "redis" || blow === "lost") return this.#fleet.redis.restart(blow === "redis");
    await this.#workers[which]?.end("SIGKILL");
    this.#workers[which] = await this.#fleet.startWorker();
  }

  /** How many results there are. None may be written twice: that would be work that was done again. */
  #results(): number {
    const folder = join(this.#fleet.shared, "done");
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return 0;
    for (const path of walkSorted(folder)) {
      const time = statSync(join(folder, path)).mtimeMs;
      const known = this.#written.get(path);
      if (known !== undefined && known !== time) this.#violations.push(`${path} was done again`);
      this.#written.set(path, time);
    }
    return this.#written.size;
  }

  async #compare(): Promise<void> {
    const { press } = this.#fleet;
    const out = join(press.folder, "local");
    const alone = await this.#fleet.runLocally(out);
    if (alone.code !== 0) this.#violations.push(`the local run: ${alone.stderr.slice(-500)}`);
    const difference = differenceOf(treeOf(join(press.out, "public")), treeOf(join(out, "public")));
    if (difference !== undefined) this.#violations.push(`the publish root differs: ${difference}`);
  }
}

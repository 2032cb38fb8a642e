import type { Governor } from "../../src/api/governor.ts";
import type { Headers } from "../../src/api/headers.ts";
import { sleepOn } from "../../src/lib/clock.ts";
import type { VirtualClock } from "../lib/virtual-clock.ts";

/** How an origin limits requests: in any interval, in those of the clock, or as far as tokens have come in. */
export type Limiting = "sliding" | "fixed" | "bucket";

export interface SimulatedOrigin {
  /** Arrivals of requests, and whether each was admitted. */
  arrivals: { at: number; admitted: boolean }[];
  /** Makes one request through a governor, again and again until it is admitted. */
  ask(governor: Governor): Promise<void>;
}

export interface SimulatedOptions {
  clock: VirtualClock;
  requests: number;
  perMs: number;
  limiting?: Limiting;
  /** Headers of an answer. @param waitMs until the next request would be admitted; 0 for now */
  headers?: (admitted: boolean, waitMs: number) => Headers;
  /** Milliseconds on the way there, and back. */
  latency?: () => number;
}

/** An origin in time that passes as fast as nobody has anything to do: a limit, a way there and a way back. */
export function simulatedOrigin(options: SimulatedOptions): SimulatedOrigin {
  const { clock, requests, perMs, limiting = "sliding", headers = () => ({}) } = options;
  const { latency = () => 20 } = options;
  const arrivals: SimulatedOrigin["arrivals"] = [];
  const admit = limiters[limiting](requests, perMs);

  async function answer(): Promise<{ status: number; headers: Headers }> {
    await sleepOn(clock, latency());
    const at = clock.now();
    const { admitted, waitMs } = admit(at);
    arrivals.push({ at, admitted });
    await sleepOn(clock, latency());
    return { status: admitted ? 200 : 429, headers: headers(admitted, waitMs) };
  }

  return {
    arrivals,
    async ask(governor) {
      let status = 0;
      while (status !== 200) {
        await governor.run(async (answered) => {
          const head = await answer();
          status = head.status;
          answered(head);
        });
      }
    },
  };
}

type Limiter = (time: number) => { admitted: boolean; waitMs: number };

const limiters: Record<Limiting, (requests: number, perMs: number) => Limiter> = {
  sliding(requests, perMs) {
    let admittedAt: number[] = [];
    return (time) => {
      admittedAt = admittedAt.filter((at) => at > time - perMs);
      const admitted = admittedAt.length < requests;
      if (admitted) admittedAt.push(time);
      const waitMs = admittedAt.length < requests ? 0 : (admittedAt[0] as number) + perMs - time;
      return { admitted, waitMs };
    };
  },
  fixed(requests, perMs) {
    let period = 0;
    let used = 0;
    return (time) => {
      if (Math.floor(time / perMs) !== period) used = 0;
      period = Math.floor(time / perMs);
      const admitted = used < requests;
      if (admitted) used++;
      return { admitted, waitMs: used < requests ? 0 : (period + 1) * perMs - time };
    };
  },
  bucket(requests, perMs) {
    let tokens = requests;
    let last = 0;
    return (time) => {
      tokens = Math.min(requests, tokens + ((time - last) * requests) / perMs);
      last = time;
      const admitted = tokens >= 1;
      if (admitted) tokens--;
      return { admitted, waitMs: Math.max(0, Math.ceil(((1 - tokens) * perMs) / requests)) };
    };
  },
};

import { StillpressError } from "../errors.ts";
import { type Clock, sleepOn } from "../lib/clock.ts";
import type { Reporter } from "../lib/reporter.ts";
import { RefusedAddress } from "./connect.ts";
import type { Ask, Exchange } from "./exchange.ts";
import { transportFailure } from "./failure.ts";
import type { Governor } from "./governor.ts";
import type { ClientLimits } from "./limits.ts";
import { finalError, type Name } from "./messages.ts";
import { retryDelay, toldToWait } from "./retry.ts";

export interface AttemptsOptions {
  exchange: Exchange;
  governor: Governor;
  limits: Pick<ClientLimits, "firstDelayMs" | "maxPauseMs">;
  clock: Clock;
  reporter: Reporter;
  /** Ends all waits; nothing is tried again after it. */
  signal: AbortSignal | undefined;
  /** Called before each attempt but the first. */
  onRetry: () => void;
}

/**
 * Makes the function that asks until there is an answer or no use in asking; the name stands for the URL in
 * messages. It throws the signal's reason, an ApiError, or whatever StillpressError an attempt ends with.
 */
export function createAttempts(
  options: AttemptsOptions,
): <T>(ask: Ask<T>, name: Name) => Promise<T> {
  const { exchange, governor, limits, clock, reporter, signal, onRetry } = options;
  return async (ask, name) => {
    for (let attempts = 1; ; attempts++) {
      signal?.throwIfAborted();
      try {
        return await exchange(ask);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof StillpressError) throw error;
        const failure = transportFailure(error);
        if (failure instanceof RefusedAddress) throw finalError(name, failure, 0, undefined);
        const waits = toldToWait(failure);
        const ownDelayMs = retryDelay(failure, attempts, limits.firstDelayMs);
        // The governor knows how long everybody has to wait, and sees to it.
        const delayMs = ownDelayMs !== undefined && waits ? governor.pauseMs : ownDelayMs;
        if (delayMs === undefined || delayMs > limits.maxPauseMs) {
          throw finalError(name, failure, attempts, delayMs);
        }
        onRetry();
        const seconds = (delayMs / 1000).toFixed(1);
        reporter.info(`GET ${name.short}: ${failure.message}, again in ${seconds} s`);
        if (!waits) await sleepOn(clock, delayMs, signal);
      }
    }
  };
}

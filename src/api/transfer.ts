import type { Dispatcher } from "undici";
import { AttemptError } from "./failure.ts";
import type { Headers } from "./headers.ts";

/** Servers send one or two. */
const maxAnnounced = 100;

export interface Head {
  status: number;
  headers: Headers;
}

/**
 * Makes one GET. Every piece of the answer is taken in the turn in which it arrives, so that the parser is never
 * paused: where an origin closes the connection of a paused answer, undici 7 throws an AssertionError that nobody can
 * catch. (undici 8 does not, but needs Node 22.) Its `request` and `stream` pause when their consumer falls behind.
 *
 * @param taker an error that it throws ends the transfer
 */
export function startTransfer(
  dispatcher: Dispatcher,
  url: URL,
  headers: Record<string, string>,
  taker: { head(head: Head): void; piece(piece: Buffer): void },
) {
  let controller: Dispatcher.DispatchController | undefined;
  let stopped: Error | undefined;
  let announced = 0;
  let fail: (reason: Error) => void;
  const done = new Promise<void>((resolve, reject) => {
    fail = reject;
    dispatcher.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method: "GET", headers },
      {
        onRequestStart(given) {
          controller = given;
          if (stopped !== undefined) given.abort(stopped);
        },
        onResponseStart(_, status, received) {
          if (stopped !== undefined) return;
          if (status >= 200) return taker.head({ status, headers: received });
          // It announces the answer only.
          const message = `more than ${maxAnnounced} informational answers`;
          if (++announced > maxAnnounced) throw new AttemptError(message, { final: true });
        },
        onResponseData(_, piece) {
          if (stopped === undefined) taker.piece(piece);
        },
        onResponseEnd: () => resolve(),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
  return {
    /** Settles when the last piece was taken, or with what the transfer failed with. */
    done,
    /** Ends the transfer at once: `done` is rejected with the reason, and nothing more is taken. */
    stop(reason: Error): void {
      stopped ??= reason;
      fail(reason);
      controller?.abort(reason);
    },
  };
}

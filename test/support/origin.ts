import {
  type Origin as DemoOrigin,
  type StartOptions,
  startOrigin as startDemo,
} from "../../src/demo/origin.ts";

/** One request, as it was answered. */
export interface LoggedRequest {
  method: string;
  /** Path and query as sent. */
  url: string;
  /** Status of the answer; 0 if an interceptor answered or the client went away. */
  status: number;
  /** Whether the request carried an Authorization header. */
  authorization: boolean;
  /** Milliseconds since 1970, by the origin's clock, when the request arrived. */
  at: number;
}

/** A demo origin that remembers what it was asked. */
export interface Origin extends DemoOrigin {
  /** Oldest first; `requests.length = 0` clears it. */
  readonly requests: LoggedRequest[];
}

/** Starts a demo origin that remembers its requests. */
export async function startOrigin(options: StartOptions): Promise<Origin> {
  const { now = () => new Date(), intercept } = options;
  const requests: LoggedRequest[] = [];
  const origin = await startDemo({
    ...options,
    intercept(request, response) {
      const entry: LoggedRequest = {
        method: request.method ?? "",
        url: request.url ?? "",
        status: 0,
        authorization: request.headers.authorization !== undefined,
        at: now().getTime(),
      };
      requests.push(entry);
      if (intercept?.(request, response)) return true;
      // Before the client can have seen any of the answer.
      const writeHead = response.writeHead.bind(response) as (
        ...parts: unknown[]
      ) => typeof response;
      response.writeHead = (...parts: unknown[]) => {
        entry.status = parts[0] as number;
        return writeHead(...parts);
      };
      return false;
    },
  });
  return { ...origin, requests };
}

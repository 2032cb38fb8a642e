import { createHash } from "node:crypto";
import { type Dispatcher, request } from "undici";
import { createDispatcher } from "../api/dispatcher.ts";
import { AttemptError, transportFailure } from "../api/failure.ts";

/** An answer of a mirror, or of a host that serves an archive. */
export interface ServerAnswer {
  /** Why there is none. The rest is empty then. */
  failed?: string;
  status: number;
  /** Content type without parameters, lower case; "" without one. */
  type: string;
  fullType: string;
  /** URL that answered, behind redirects. */
  url: string;
  sha256: string;
  /** Bytes. */
  size: number;
  /** The content; undefined if it was only measured. */
  bytes: Buffer | undefined;
}

export interface AskOptions {
  accept?: string;
  /** Keep the content, up to 128 MiB; else only its length and digest. */
  keep?: boolean;
  /** The status alone matters. */
  discard?: boolean;
}

const nothing = { status: 0, type: "", fullType: "", sha256: "", size: 0, bytes: undefined };

const maxHops = 3;
const maxKept = 128 << 20;
const redirects = new Set([301, 302, 303, 307, 308]);

/** Asks one server without a limit of its rate, a few requests at a time. */
export type Server = ReturnType<typeof createServerClient>;

/** The token is sent to the host of `baseUrl` only. */
export function createServerClient(
  baseUrl: string,
  options: { token?: string; connections?: number; signal?: AbortSignal } = {},
) {
  const { token, connections = 6, signal } = options;
  const home = new URL(baseUrl).origin;
  const timeouts = { headersTimeout: 60_000, bodyTimeout: 60_000 };
  const dispatcher = createDispatcher({ connections, ...timeouts });
  const stop = (): Promise<void> => dispatcher.destroy();
  signal?.addEventListener("abort", stop, { once: true });

  async function follow(text: string, options: AskOptions): Promise<ServerAnswer> {
    let url = new URL(text);
    for (let hop = 0; hop <= maxHops; hop++) {
      const answer = await request(url, {
        dispatcher,
        headers: {
          accept: options.accept ?? "*/*",
          "accept-encoding": "identity",
          "user-agent": "stillpress (comparison)",
          ...(token !== undefined && url.origin === home && { authorization: `Bearer ${token}` }),
        },
      });
      const location = header(answer, "location");
      if (!redirects.has(answer.statusCode) || location === undefined) {
        return await answerOf(answer, url.href, options);
      }
      await answer.body.dump();
      url = new URL(location, url);
    }
    throw new AttemptError(`more than ${maxHops} redirects`);
  }

  return {
    /** GET; up to three redirects are followed. */
    async ask(url: string, options: AskOptions = {}): Promise<ServerAnswer> {
      for (let attempt = 1; ; attempt++) {
        try {
          return await follow(url, options);
        } catch (error) {
          signal?.throwIfAborted();
          // A server may close an idle connection at the moment of its next use.
          if (attempt < 2) continue;
          const { message, detail } = transportFailure(error);
          const failed = detail ? `${message}: ${detail}` : message;
          return { ...nothing, failed, url };
        }
      }
    },
    close() {
      signal?.removeEventListener("abort", stop);
      return stop();
    },
  };
}

async function answerOf(answer: Dispatcher.ResponseData, url: string, options: AskOptions) {
  const { keep = false, discard = false } = options;
  const fullType = header(answer, "content-type") ?? "";
  const type = (fullType.split(";")[0] ?? "").trim().toLowerCase();
  const head = { ...nothing, status: answer.statusCode, type, fullType, url };
  if (discard) {
    await answer.body.dump();
    return head;
  }
  const coding = header(answer, "content-encoding")?.trim().toLowerCase() ?? "identity";
  if (coding !== "identity") throw new AttemptError(`the answer is encoded as ${coding}, unasked`);
  const kept: Buffer[] = [];
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of answer.body as AsyncIterable<Buffer>) {
    size += piece.length;
    hash.update(piece);
    if (!keep) continue;
    if (size > maxKept) throw new AttemptError(`answer of more than ${maxKept >> 20} MiB`);
    kept.push(piece);
  }
  const bytes = keep ? Buffer.concat(kept) : undefined;
  return { ...head, bytes, sha256: hash.digest("hex"), size };
}

function header({ headers }: Dispatcher.ResponseData, name: string): string | undefined {
  return [headers[name]].flat()[0];
}

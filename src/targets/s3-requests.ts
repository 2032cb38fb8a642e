import { setMaxListeners } from "node:events";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import type { Dispatcher } from "undici";
import { createDispatcher } from "../api/dispatcher.ts";
import { AttemptError, backoffMs, isRetried, transportFailure } from "../api/failure.ts";
import { retryAfterOf } from "../api/headers.ts";
import { ConfigError, exitCodes, TargetError } from "../errors.ts";
import { sha256 } from "../lib/digest.ts";
import { plural } from "../lib/words.ts";
import type { StoreSettings } from "./credentials.ts";
import { otherContent, type TargetObject } from "./target.ts";

export interface StoreRequest {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Of an object; "" asks the bucket itself. */
  key: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  object?: TargetObject;
  /** Answers that are results, beside those of success. */
  expected?: readonly number[];
}

export interface StoreAnswer {
  status: number;
  headers: Dispatcher.ResponseData["headers"];
  /** Has to be read to its end. */
  body: Dispatcher.ResponseData["body"];
}

/** Milliseconds without any byte of an answer, or in which nothing was taken of what is sent. */
const idleMs = 120_000;
const firstDelayMs = 300;
/** The longest pause that a store is granted. */
const maxWaitMs = 60_000;
/** SHA-256 of nothing. */
const nothing = sha256("");

/**
 * Requests to a bucket, signed (SigV4) with the digest of what is sent, so that a store that checks it takes no damaged
 * body. What may pass is tried again.
 */
export function createRequests(bucket: string, settings: StoreSettings, signal?: AbortSignal) {
  const { region, endpoint, credentials } = settings;
  const dispatcher = createDispatcher({ headersTimeout: idleMs, bodyTimeout: idleMs });
  const base = baseOf(bucket, region, endpoint);
  const keys = new Map<string, ArrayBuffer>();
  // Each request that is underway listens.
  if (signal !== undefined) setMaxListeners(0, signal);

  async function signed(url: URL, { method, headers, object }: StoreRequest) {
    const signer = new AwsV4Signer({
      ...(await credentials()),
      method,
      url: url.href,
      headers: { ...headers, "x-amz-content-sha256": object?.sha256 ?? nothing },
      service: "s3",
      region,
      cache: keys,
    });
    const { headers: all } = await signer.sign();
    const length = object === undefined ? {} : { "content-length": String(object.bytes) };
    return { ...Object.fromEntries(all), ...length };
  }

  async function attempt(request: StoreRequest): Promise<StoreAnswer> {
    const { method, key, query = {}, object, expected = [] } = request;
    const url = new URL(base.href + key.split("/").map(encoded).join("/"));
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const answer = await dispatcher.request({
      origin: url.origin,
      // As it was signed: a space is %20 in both.
      path: url.pathname + url.search.replaceAll("+", "%20"),
      method,
      headers: await signed(url, request),
      body: object === undefined ? null : await bodyOf(object),
      ...(signal && { signal }),
    });
    const { statusCode: status, headers, body } = answer;
    if ((status >= 200 && status < 300) || expected.includes(status))
      return { status, headers, body };
    throw await failureOf(answer);
  }

  return {
    /** @throws TargetError or ConfigError when it failed for good; the signal's reason */
    async send(request: StoreRequest): Promise<StoreAnswer> {
      for (let attempts = 1; ; attempts++) {
        try {
          return await attempt(request);
        } catch (error) {
          signal?.throwIfAborted();
          if (error instanceof ConfigError || error instanceof TargetError) throw error;
          const failure = transportFailure(error);
          if (!isRetried(failure, attempts)) throw finalError(bucket, request, failure, attempts);
          const asked = Math.min(failure.retryAfterMs ?? 0, maxWaitMs);
          const wait = Math.max(asked, backoffMs(attempts, firstDelayMs));
          await sleep(wait, undefined, { signal }).catch(() => signal?.throwIfAborted());
        }
      }
    },
    close: () => dispatcher.close(),
  };
}

/** Address of a bucket, with a slash at its end: of AWS, in its host name where that can be; elsewhere in the path. */
function baseOf(bucket: string, region: string, endpoint: string | undefined): URL {
  if (endpoint !== undefined) return new URL(`${endpoint}/${encoded(bucket)}/`);
  const host = `s3.${region}.amazonaws.com`;
  const isHostName = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucket);
  return new URL(isHostName ? `https://${bucket}.${host}/` : `https://${host}/${encoded(bucket)}/`);
}

/** As SigV4 wants it: all but letters, digits and -._~ */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** What is read at once: streams cost more than small files. */
const wholeBytes = 1 << 20;

async function bodyOf({ content, bytes }: TargetObject): Promise<Readable | Buffer> {
  if (typeof content !== "string") return Readable.from(content);
  return bytes > wholeBytes ? createReadStream(content) : await readFile(content);
}

/** What an attempt failed with: its message is the store's own word for it. */
async function failureOf({ statusCode: status, headers, body }: Dispatcher.ResponseData) {
  const text = (await body.text().catch(() => "")).slice(0, 10_000);
  const code = /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1] ?? `status ${status}`;
  return new AttemptError(code, { status, retryAfterMs: retryAfterOf(headers, Date.now()) });
}

/** What stores say where the content was not that of its digest: it was signed with the one of the manifest. */
const otherDigest = /^(?:XAmzContentSHA256Mismatch|XAmzContentChecksumMismatch|BadDigest)$/;

const hints: Readonly<Record<string, string>> = {
  RequestTimeTooSkewed: "set the clock of this machine",
  PermanentRedirect: "the bucket is in another region: set AWS_REGION",
  AuthorizationHeaderMalformed: "the bucket is in another region: set AWS_REGION",
  InvalidAccessKeyId: "check AWS_ACCESS_KEY_ID",
  SignatureDoesNotMatch: "check AWS_SECRET_ACCESS_KEY",
  ExpiredToken: "get new credentials; the token of these has expired",
};

function finalError(
  bucket: string,
  { method, key, object }: StoreRequest,
  { message, status, detail, hint: said }: AttemptError,
  attempts: number,
): ConfigError | TargetError {
  if (object !== undefined && otherDigest.test(message)) return otherContent(object);
  const what = `bucket ${bucket}: ${method} ${key || "the list of keys"}: ${message}`;
  const text = detail === undefined ? what : `${what}: ${detail}`;
  if (status === 404) {
    return new ConfigError(text, { hint: "make the bucket first, or check its name and region" });
  }
  const known = said ?? hints[message];
  if (status === 401 || status === 403) {
    const hint = known ?? "the credentials must be allowed to read, write, list and delete";
    return new TargetError(text, { exitCode: exitCodes.credentials, hint });
  }
  const again = `tried ${plural(attempts, "time")}; run again: only what is missing is sent`;
  return new TargetError(text, { hint: known ?? again });
}

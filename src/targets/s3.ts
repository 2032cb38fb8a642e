import { transportFailure } from "../api/failure.ts";
import { TargetError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import { percentDecoded } from "../lib/urls.ts";
import { readStoreSettings } from "./credentials.ts";
import { putInParts, usualPartBytes } from "./parts.ts";
import { createRequests, type StoreAnswer } from "./s3-requests.ts";
import type { Conditional, Target, TargetObject } from "./target.ts";

/** Where an object says which content and headers it was put with. */
const stampHeader = "x-amz-meta-stillpress";

/**
 * Keys of a bucket that begin with a prefix, in any store that speaks S3.
 *
 * @throws ConfigError for wrong settings of the store
 */
export function openBucket(
  name: string,
  bucket: string,
  prefix: string,
  {
    signal,
    partBytes = usualPartBytes,
  }: { signal?: AbortSignal | undefined; partBytes?: number } = {},
): Target {
  const requests = createRequests(bucket, readStoreSettings(), signal);
  const keyIn = (key: string): string => prefix + key;

  const headersFor = (object: TargetObject) => {
    return { ...object.headers, [stampHeader]: stampOf(object) };
  };
  const write = (object: TargetObject, condition = {}, expected: readonly number[] = []) =>
    requests.send({
      method: "PUT",
      key: keyIn(object.key),
      headers: { ...headersFor(object), ...condition },
      object,
      expected,
    });

  /** Undefined where there is no such key. */
  async function ask(key: string): Promise<StoreAnswer | undefined> {
    const answer = await requests.send({ method: "GET", key: keyIn(key), expected: [404] });
    if (answer.status === 200) return answer;
    const text = await answer.body.text();
    // Without a bucket there is no key either, and nothing could be put.
    if (/<Code>NoSuchBucket</.test(text)) await requests.send({ method: "GET", key: "" });
    return undefined;
  }

  return {
    name,
    async read(key, consume) {
      for (let attempts = 1; ; attempts++) {
        const answer = await ask(key);
        if (answer === undefined) return undefined;
        try {
          return await consume({ body: marked(answer.body), version: versionOf(answer) });
        } catch (error) {
          signal?.throwIfAborted();
          if (!(error instanceof CutBody)) throw error;
          if (attempts === maxReads) throw cutError(`${name}: ${key}`, error);
        }
      }
    },
    async has(object) {
      const answer = await requests.send({
        method: "HEAD",
        key: keyIn(object.key),
        expected: [404],
      });
      await answer.body.dump();
      const { [stampHeader]: stamp, "content-length": bytes } = answer.headers;
      return answer.status === 200 && stamp === stampOf(object) && Number(bytes) === object.bytes;
    },
    async put(object) {
      const { content, bytes } = object;
      if (typeof content === "string" && bytes > partBytes) {
        const file = { ...object, content };
        return await putInParts(requests, keyIn(object.key), file, headersFor(object), partBytes);
      }
      const answer = await write(object);
      await answer.body.dump();
    },
    async putIf(object, version): Promise<Conditional> {
      const condition = version === null ? { "if-none-match": "*" } : { "if-match": version };
      const { status, body } = await write(object, condition, [400, 404, 409, 412, 501]);
      await body.dump();
      if (status === 412 || status === 409 || status === 404) return "refused";
      return status < 300 ? "written" : "unsupported";
    },
    async *list(start) {
      let token: string | undefined;
      do {
        const query = { "list-type": "2", "encoding-type": "url", prefix: keyIn(start) };
        const more: Record<string, string> = token ? { "continuation-token": token } : {};
        const answer = await requests.send({
          method: "GET",
          key: "",
          query: { ...query, ...more },
        });
        const text = await answer.body.text();
        for (const { key, bytes } of listedIn(text)) yield { key: key.slice(prefix.length), bytes };
        token = /<NextContinuationToken>([^<]+)</.exec(text)?.[1];
        if (token !== undefined) token = plainText(token);
      } while (token !== undefined);
    },
    async remove(key) {
      const answer = await requests.send({ method: "DELETE", key: keyIn(key), expected: [404] });
      await answer.body.dump();
    },
    async settle() {},
    close: requests.close,
  };
}

/** How often a content is asked for that is cut on its way. */
const maxReads = 5;

/** A content did not come to its end. */
class CutBody extends Error {}

/** A body whose own failures can be told from those of its reader. */
async function* marked(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw new CutBody(transportFailure(cause).message, { cause });
  }
}

function cutError(what: string, cause: CutBody): TargetError {
  const hint = `tried ${maxReads} times; run again`;
  return new TargetError(`${what}: ${cause.message}`, { cause, hint });
}

function stampOf({ sha256, headers }: TargetObject): string {
  const sorted = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  return keyOf(sha256, sorted.flat());
}

function versionOf({ headers }: StoreAnswer): string {
  return String(headers.etag ?? "");
}

/** The keys of an answer to a list. */
function* listedIn(text: string): Generator<{ key: string; bytes: number }> {
  const isEncoded = /<EncodingType>url</.test(text);
  for (const [, item = ""] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
    const key = plainText(/<Key>([^<]*)</.exec(item)?.[1] ?? "");
    const bytes = Number(/<Size>(\d+)</.exec(item)?.[1]);
    yield { key: isEncoded ? percentDecoded(key.replaceAll("+", " ")) : key, bytes };
  }
}

const entities: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
};

/** Text of XML without its five entities and numbers. */
function plainText(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16));
  });
}

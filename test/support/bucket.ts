import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/*
 * A store that speaks S3 as its documentation says: it checks signatures (SigV4) and the digests of bodies, knows
 * conditional writes, and lists in pages. Written without the code that it tests.
 */

export interface StoredObject {
  content: Buffer;
  headers: Record<string, string>;
  etag: string;
}

/** What happens in the place of an answer: a status, or the end of the connection, at once or amid the content. */
type Fault = number | "cut" | "half" | undefined;

export interface BucketOptions {
  /** Whether it heeds If-Match and If-None-Match, ignores them, or answers 501. */
  conditions?: "heeded" | "ignored" | "unknown";
  /** Keys on a page of a list. */
  pageSize?: number;
  /** Whether "a" and "a/b" can stand beside each other. */
  twins?: boolean;
}

export const secrets = { id: "AKIDEXAMPLE", key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const bucket = "archive";

export type Bucket = Awaited<ReturnType<typeof startBucket>>;

export async function startBucket(options: BucketOptions = {}) {
  const { conditions = "heeded", pageSize = 100, twins = true } = options;
  const objects = new Map<string, StoredObject>();
  const log: { method: string; key: string; status: number }[] = [];
  let fault: (request: { method: string; key: string; count: number }) => Fault = () => undefined;
  let count = 0;

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "" } = request;
    const url = new URL(request.url ?? "", `http://127.0.0.1:${port}`);
    const [, name = "", ...rest] = url.pathname.split("/");
    const key = decodeURIComponent(rest.join("/"));
    const say = (status: number, code: string, headers = {}): void => {
      log.push({ method, key, status });
      response.writeHead(status, { "Content-Type": "application/xml", ...headers });
      response.end(method === "HEAD" ? "" : `<Error><Code>${code}</Code></Error>`);
    };
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const content = Buffer.concat(pieces);
    const happens = fault({ method, key, count: ++count });
    if (happens === "cut") return void response.destroy();
    if (happens !== undefined && happens !== "half")
      return say(happens, happens === 403 ? "AccessDenied" : "InternalError");
    // Everybody can read what the bucket shows, as on a CDN.
    if (request.headers.authorization === undefined && method === "GET" && key !== "") {
      const shown = objects.get(key);
      if (shown === undefined) return say(404, "NoSuchKey");
      response.writeHead(200, { ...shown.headers, etag: shown.etag });
      return void response.end(shown.content);
    }
    const refused = refusalOf(request, url);
    if (refused !== undefined) return say(403, refused);
    if (name !== bucket) return say(404, "NoSuchBucket");
    const digest = createHash("sha256").update(content).digest("hex");
    if (request.headers["x-amz-content-sha256"] !== digest)
      return say(400, "XAmzContentSHA256Mismatch");
    const found = objects.get(key);
    if (key === "") {
      log.push({ method, key, status: 200 });
      response.writeHead(200, { "Content-Type": "application/xml" });
      return void response.end(listing(url.searchParams));
    }
    if (method === "PUT") {
      const { "if-match": ifMatch, "if-none-match": ifNone } = request.headers;
      const isConditional = ifMatch !== undefined || ifNone !== undefined;
      if (isConditional && conditions === "unknown") return say(501, "NotImplemented");
      const holds = ifNone !== undefined ? found === undefined : ifMatch === found?.etag;
      if (isConditional && conditions === "heeded" && !holds) return say(412, "PreconditionFailed");
      const clash = [...objects.keys()].some(
        (one) => one.startsWith(`${key}/`) || key.startsWith(`${one}/`),
      );
      if (!twins && clash) return say(400, "XMinioObjectExistsAsDirectory");
      const etag = `"${createHash("md5").update(content).digest("hex")}"`;
      const kept = Object.entries(request.headers).filter(([header]) =>
        /^(?:content-(?:type|disposition|encoding)|cache-control|x-amz-meta-.*)$/.test(header),
      );
      objects.set(key, {
        content,
        headers: Object.fromEntries(kept) as Record<string, string>,
        etag,
      });
      return say(200, "", { etag });
    }
    if (method === "DELETE") {
      objects.delete(key);
      return say(204, "");
    }
    if (found === undefined) return say(404, "NoSuchKey");
    log.push({ method, key, status: 200 });
    const length = found.content.length;
    response.writeHead(200, { ...found.headers, etag: found.etag, "content-length": length });
    if (happens === "half" && method === "GET" && length > 1) {
      response.write(found.content.subarray(0, length / 2));
      await new Promise((resolve) => setTimeout(resolve, 20));
      return void response.destroy();
    }
    response.end(method === "HEAD" ? "" : found.content);
  }

  function listing(query: URLSearchParams): string {
    const prefix = query.get("prefix") ?? "";
    const after = query.get("continuation-token") ?? "";
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, pageSize);
    const items = page.map(
      (key) =>
        `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${objects.get(key)?.content.length}</Size></Contents>`,
    );
    const next =
      keys.length > pageSize
        ? `<NextContinuationToken>${page.at(-1)?.replaceAll("&", "&amp;")}</NextContinuationToken>`
        : "";
    return `<ListBucketResult><EncodingType>url</EncodingType>${next}${items.join("")}</ListBucketResult>`;
  }

  return {
    objects,
    /** All requests so far. */
    log,
    /** Keys that were put, in their order, without what stillpress keeps for itself. */
    puts: () =>
      log
        .filter(
          ({ method, key, status }) =>
            method === "PUT" && status === 200 && !/\.stillpress\//.test(key),
        )
        .map(({ key }) => key),
    name: `s3://${bucket}`,
    url: `http://127.0.0.1:${port}/${bucket}`,
    /** Variables for a run that publishes here. */
    environment: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: secrets.id,
      AWS_SECRET_ACCESS_KEY: secrets.key,
      AWS_REGION: "eu-north-1",
    },
    /** Says of each further request whether it fails. */
    failWith(next: typeof fault = () => undefined): void {
      count = 0;
      fault = next;
    },
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

/** Why a request is not signed by the one who has the key: "Authenticating Requests" in the documentation of S3. */
function refusalOf({ method = "", headers }: IncomingMessage, url: URL): string | undefined {
  const [, id, date, region, names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([\da-f]{64})$/.exec(
      headers.authorization ?? "",
    ) ?? [];
  if (id !== secrets.id) return "InvalidAccessKeyId";
  const query = [...url.searchParams]
    .map((pair) => pair.map(encoded).join("="))
    .sort()
    .join("&");
  const path = url.pathname
    .split("/")
    .map((part) => encoded(decodeURIComponent(part)))
    .join("/");
  const lines = names
    .split(";")
    .map((name) => `${name}:${String(headers[name]).trim()}\n`)
    .join("");
  const canonical = [method, path, query, lines, names, headers["x-amz-content-sha256"]].join("\n");
  const scope = `${date}/${region}/s3/aws4_request`;
  const digest = createHash("sha256").update(canonical).digest("hex");
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, digest].join("\n");
  const hmac = (key: string | Buffer, text: string): Buffer =>
    createHmac("sha256", key).update(text).digest();
  const steps = [date ?? "", region ?? "", "s3", "aws4_request"];
  const key = steps.reduce<string | Buffer>(
    (before, step) => hmac(before, step),
    `AWS4${secrets.key}`,
  );
  return hmac(key, toSign).toString("hex") === signature ? undefined : "SignatureDoesNotMatch";
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

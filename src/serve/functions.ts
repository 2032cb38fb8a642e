/** The archive's handler as the platforms call it that run code in front of files. */
import { urlPath } from "../routes/site.ts";
import type { ArchiveFiles } from "./archive.ts";
import { type GetFile, openFetched } from "./fetched.ts";
import { createHandler, type Handler } from "./handler.ts";

/** Header of requests for files themselves, which a function in front of the files lets pass. */
const mark = "x-stillpress-file";

/** Asks a host for its files, past the function in front of them. */
function getFrom(origin: string): GetFile {
  return (path, headers) =>
    fetch(origin + path, { headers: { ...headers, [mark]: "1" }, redirect: "manual" });
}

/**
 * Cloudflare: the function of a Worker whose assets are the archive.
 *
 * @param root of the mirror below the publish root, here and below
 */
export function createWorker(root: string) {
  let handler: Handler | undefined;
  return (request: Request, { ASSETS }: { ASSETS: { fetch: typeof fetch } }) => {
    const get: GetFile = (path) => ASSETS.fetch(new Request(`https://assets.local${path}`));
    handler ??= createHandler({ files: openFetched(get), root });
    return handler(request);
  };
}

/** Netlify and Vercel: a function before the files of its own host; undefined where a request has to pass. */
export function createFunction(root: string) {
  let handler: Handler | undefined;
  return (request: Request): Promise<Response> | undefined => {
    if (request.headers.has(mark)) return undefined;
    const { origin } = new URL(request.url);
    handler ??= createHandler({ files: openFetched(getFrom(origin)), root });
    return handler(request);
  };
}

type Fields = Record<string, { key?: string; value: string }[]>;

/** docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-event-structure, "Request event" */
interface OriginRequest {
  method: string;
  uri: string;
  querystring: string;
  headers: Fields;
}

interface CloudFrontEvent {
  Records: { cf: { config: { distributionDomainName: string }; request: OriginRequest } }[];
}

/** A function's own answer may have 1 MB, in Base64: cloudfront-limits, "Quotas on Lambda@Edge". */
const largestAnswer = 700_000;

/** The file is sent by the bucket itself. The message is its path. */
class Passed extends Error {}

/**
 * CloudFront: a Lambda@Edge function for origin requests, with the whole query and the mark in the cache key. It
 * fetches files through the distribution.
 *
 * @param url scheme and host that links in JSON lead to; null for the distribution's own
 */
export function createOriginRequest(root: string, url: string | null) {
  let handler: Handler | undefined;
  return async ({ Records: [record] }: CloudFrontEvent) => {
    if (record === undefined) throw new Error("the event has no record");
    const { config, request } = record.cf;
    if (mark in request.headers) return request;
    const own = `https://${config.distributionDomainName}`;
    const query = request.querystring === "" ? "" : `?${request.querystring}`;
    const headers = Object.entries(request.headers)
      // The distribution cuts ranges out of whole answers.
      .filter(([name]) => name !== "range")
      .map(([name, [field]]): [string, string] => [name, field?.value ?? ""]);
    const { method, uri } = request;
    const asked = new Request((url ?? own) + uri + query, { method, headers });
    handler ??= createHandler({ files: passing(openFetched(getFrom(own))), root });
    try {
      return await answerOf(await handler(asked, uri + query));
    } catch (error) {
      if (!(error instanceof Passed)) throw error;
      return { ...request, uri: `/${urlPath(error.message)}`, querystring: "" };
    }
  };
}

/** The files, of which the large ones are not read. */
function passing(files: ArchiveFiles): ArchiveFiles {
  return {
    ...files,
    async open(path) {
      const file = await files.open(path);
      if (file === undefined || file.bytes <= largestAnswer) return file;
      return { ...file, body: () => Promise.reject(new Passed(path)) };
    },
  };
}

async function answerOf(response: Response) {
  const headers: Fields = {};
  // The distribution counts for itself.
  for (const [key, value] of response.headers)
    if (key !== "content-length") headers[key] = [{ key, value }];
  const body = Buffer.from(await response.arrayBuffer()).toString("base64");
  return { status: String(response.status), headers, body, bodyEncoding: "base64" };
}

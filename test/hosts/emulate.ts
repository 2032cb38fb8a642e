import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createContext, runInContext } from "node:vm";
import { typeOfPath } from "../../src/lib/content-type.ts";

/** A host in this process: its answers come from a publish root and the configuration written for the host. */
export interface Emulated {
  /** Without slash at the end. */
  url: string;
  close(): Promise<void>;
}

export interface EmulatedArchive {
  /** Publish root. */
  root: string;
  /** Folder with the host's configuration, such as `deploy/netlify`. */
  deploy: string;
  /** On 127.0.0.1; a free one by default. */
  port?: number;
}

interface Asked {
  method: string;
  /** As sent, without the query. */
  path: string;
  /** Without "?". */
  query: string;
  headers: IncomingHttpHeaders;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** Path of the file to send, relative to the publish root, or what else to send. */
  body?: { file: string } | { bytes: Uint8Array };
}

/** A server for one way to answer requests; all that HTTP asks of files is done here. */
async function startHost(
  { root, port = 0 }: EmulatedArchive,
  answer: (asked: Asked) => Promise<Answer>,
): Promise<Emulated> {
  const server = createServer((request, response) => {
    const [path = "", ...query] = (request.url ?? "").split("?");
    const { method = "GET", headers } = request;
    answer({ method, path, query: query.join("?"), headers }).then(
      (found) => send(request, response, root, found),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  root: string,
  answer: Answer,
): void {
  const { body, status } = answer;
  const headers = new Headers({ Server: "emulated" });
  let bytes: Uint8Array = new Uint8Array();
  if (body !== undefined && "file" in body) {
    bytes = readFileSync(join(root, body.file));
    headers.set("Content-Type", typeOfPath(body.file));
  } else if (body !== undefined) bytes = body.bytes;
  for (const [name, value] of Object.entries(answer.headers ?? {})) headers.set(name, value);
  if (status !== 200 || body === undefined || "bytes" in body) {
    if (!headers.has("Content-Length")) headers.set("Content-Length", String(bytes.length));
    response.writeHead(status, Object.fromEntries(headers));
    response.end(request.method === "HEAD" ? undefined : bytes);
    return;
  }
  const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`;
  headers.set("ETag", etag);
  headers.set("Accept-Ranges", "bytes");
  if (request.headers["if-none-match"] === etag) {
    response.writeHead(304, Object.fromEntries(headers)).end();
    return;
  }
  const [, first = "", last = ""] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const start = Number(first);
  if (first !== "" && start < bytes.length && request.method === "GET") {
    const end = Math.min(last === "" ? Number.POSITIVE_INFINITY : Number(last), bytes.length - 1);
    headers.set("Content-Range", `bytes ${start}-${end}/${bytes.length}`);
    bytes = bytes.subarray(start, end + 1);
  }
  headers.set("Content-Length", String(bytes.length));
  response.writeHead(headers.has("Content-Range") ? 206 : 200, Object.fromEntries(headers));
  response.end(request.method === "HEAD" ? undefined : bytes);
}

/** A file of the publish root by the path of a URL; undefined for what is none, or would lead out of the root. */
function fileAt(root: string, path: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  if (!decoded.startsWith("/") || /\\|\0|\/\.{1,2}(?:\/|$)|\/\//.test(decoded)) return undefined;
  const file = decoded.slice(1);
  const stat = statSync(join(root, file), { throwIfNoEntry: false });
  return stat?.isFile() && !file.endsWith("/") ? file : undefined;
}

/** What the platforms do with steps out of a folder is their own; none of them leads out of the publish root. */
function isStep(path: string): boolean {
  return /\/(?:\.|%2e){1,2}(?:\/|$)|\\|%5c/i.test(path);
}

interface NetlifyRule {
  to: string;
  status: number;
  force: boolean;
}

interface NetlifyMatcher {
  match(request: {
    scheme: string;
    host: string;
    path: string;
    query: string;
    getHeader(): string;
    getCookie(): string;
  }): NetlifyRule | null;
}

const { parsePlain } = createRequire(import.meta.url)("netlify-redirector") as {
  parsePlain(rules: string, options: object): Promise<NetlifyMatcher>;
};

/** The rule of a `_redirects` file that Netlify's own engine finds for a request; null for none. */
export async function matchNetlify(
  text: string,
): Promise<(path: string, query: string) => NetlifyRule | null> {
  const lines = text.split("\n").filter((line) => {
    const [from, ...rest] = line.split(" ");
    return rest.at(-2) !== from;
  });
  const matcher = await parsePlain(lines.join("\n"), {});
  const request = { scheme: "https", host: "localhost", getHeader: () => "", getCookie: () => "" };
  return (path, query) => matcher.match({ ...request, path, query });
}

/**
 * Netlify: its own engine for `_redirects`; files come before rules without `!`; a rule whose file does not exist is
 * answered with the website's 404 page (answers.netlify.com/t/…/73530); one that leads to its own path is ignored
 * (…/21154); header rules go by the path of the file, as in netlify-cli.
 */
export async function startNetlify(archive: EmulatedArchive): Promise<Emulated> {
  const { root, deploy } = archive;
  const match = await matchNetlify(readFileSync(join(deploy, "_redirects"), "utf8"));
  const headersFor = netlifyHeaders(readFileSync(join(deploy, "_headers"), "utf8"));
  const answerWith = (status: number, file: string): Answer => {
    return { status, headers: headersFor(`/${file}`), body: { file } };
  };
  const missing = (): Answer => answerWith(404, "404.html");
  return startHost(archive, async ({ method, path, query }) => {
    if (method !== "GET" && method !== "HEAD") return { status: 405 };
    if (isStep(path)) return { status: 400 };
    const slash = path.endsWith("/");
    const own = fileAt(root, slash ? `${path}index.html` : path) ?? fileAt(root, `${path}.html`);
    const rule = match(path, query);
    if (rule !== null && (rule.force || own === undefined)) {
      if (rule.status >= 300 && rule.status < 400) {
        const location = rule.to + (query === "" ? "" : `?${query}`);
        return { status: rule.status, headers: { ...headersFor(path), Location: location } };
      }
      const file = fileAt(root, rule.to);
      return file === undefined ? missing() : answerWith(rule.status, file);
    }
    if (own !== undefined) return answerWith(200, own);
    if (!slash && fileAt(root, `${path}/index.html`) !== undefined) {
      return { status: 301, headers: { Location: `${path}/${query === "" ? "" : `?${query}`}` } };
    }
    return missing();
  });
}

function netlifyHeaders(text: string): (path: string) => Record<string, string> {
  const rules: { pattern: RegExp; headers: Record<string, string> }[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("/")) {
      const pattern = line
        .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
        .replace(/:[^/]+/g, "[^/]+")
        .replaceAll("*", ".*");
      rules.push({ pattern: new RegExp(`^${pattern}$`, "i"), headers: {} });
    } else if (line.trim() !== "") {
      const [name = "", ...value] = line.trim().split(":");
      const last = rules.at(-1);
      if (last !== undefined) last.headers[name] = value.join(":").trim();
    }
  }
  return (path) =>
    Object.assign({}, ...rules.filter((r) => r.pattern.test(path)).map((r) => r.headers));
}

interface Worker {
  default: { fetch(request: Request, env: { ASSETS: Assets }): Promise<Response> };
}

interface Assets {
  fetch(request: Request): Promise<Response>;
}

/**
 * Cloudflare: the Worker with an assets binding as it is with `html_handling` and `not_found_handling` "none": exact
 * paths only, a strong ETag, no ranges (seen in workerd).
 */
export async function startCloudflare(archive: EmulatedArchive): Promise<Emulated> {
  const { root, deploy } = archive;
  const worker = (await import(pathToFileURL(join(deploy, "worker.js")).href)) as Worker;
  const assets: Assets = {
    async fetch(request) {
      const file = fileAt(root, new URL(request.url).pathname);
      if (file === undefined) return new Response("Not Found", { status: 404 });
      const bytes = readFileSync(join(root, file));
      const etag = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
      const headers = { "Content-Type": typeOfPath(file), ETag: `"${etag}"` };
      return new Response(request.method === "HEAD" ? null : bytes, { headers });
    },
  };
  return startHost(archive, async ({ method, path, query, headers }) => {
    const url = `http://${headers.host}${path}${query === "" ? "" : `?${query}`}`;
    const sent = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    const request = new Request(url, {
      method,
      headers: new Headers([...sent] as [string, string][]),
    });
    const response = await worker.default.fetch(request, { ASSETS: assets });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: { bytes: new Uint8Array(await response.arrayBuffer()) },
    };
  });
}

type CloudFrontFields = Record<string, { value: string }>;

interface CloudFrontRequest {
  method: string;
  uri: string;
  querystring: Record<string, { value: string; multiValue?: { value: string }[] }>;
  headers: CloudFrontFields;
}

interface CloudFrontResponse {
  statusCode: number;
  headers: CloudFrontFields;
  body?: { data: string };
}

type CloudFrontEvent = { request: CloudFrontRequest; response?: CloudFrontResponse };

/** A CloudFront Function: its handler in a context that has nothing but `require("crypto")`. */
export function loadFunction<Result>(file: string): (event: CloudFrontEvent) => Result {
  const context = createContext({ require: createRequire(import.meta.url) });
  runInContext(readFileSync(file, "utf8"), context);
  return (event) => {
    context.event = structuredClone(event);
    return structuredClone(
      JSON.parse(runInContext("JSON.stringify(handler(event))", context)),
    ) as Result;
  };
}

/** A query in the form in which functions see it. */
export function queryForFunction(query: string): CloudFrontRequest["querystring"] {
  const found: CloudFrontRequest["querystring"] = {};
  for (const part of query === "" ? [] : query.split("&")) {
    const [name = "", ...value] = part.split("=");
    const item = { value: value.join("=") };
    const known = found[name];
    if (known === undefined) found[name] = item;
    else known.multiValue = [...(known.multiValue ?? [{ value: known.value }]), item];
  }
  return found;
}

/**
 * CloudFront: a viewer-request and a viewer-response function in front of a bucket, which has objects and no
 * folders; the error page of the distribution for what is not in it, which the second function does not see.
 */
export async function startCloudFront(archive: EmulatedArchive): Promise<Emulated> {
  const { root, deploy } = archive;
  const onRequest = loadFunction<CloudFrontRequest | CloudFrontResponse>(
    join(deploy, "request.js"),
  );
  const onResponse = loadFunction<CloudFrontResponse>(join(deploy, "response.js"));
  const { DefaultCacheBehavior, CustomErrorResponses } = JSON.parse(
    readFileSync(join(deploy, "distribution.json"), "utf8"),
  ) as {
    DefaultCacheBehavior: { AllowedMethods: { Items: string[] } };
    CustomErrorResponses: {
      Items: { ErrorCode: number; ResponsePagePath: string; ResponseCode: string }[];
    };
  };
  return startHost(archive, async ({ method, path, query }) => {
    if (!DefaultCacheBehavior.AllowedMethods.Items.includes(method)) return { status: 403 };
    if (path.length + query.length > 8_192) return { status: 414 };
    const asked = { method, uri: path, querystring: queryForFunction(query), headers: {} };
    const result = onRequest({ request: asked });
    if ("statusCode" in result) {
      const bytes = Buffer.from(result.body?.data ?? "");
      return { status: result.statusCode, headers: fieldsOf(result.headers), body: { bytes } };
    }
    const file = fileAt(root, result.uri);
    if (file === undefined) {
      const page = CustomErrorResponses.Items.find(({ ErrorCode }) => ErrorCode === 404);
      if (page === undefined) return { status: 404 };
      return { status: Number(page.ResponseCode), body: { file: page.ResponsePagePath.slice(1) } };
    }
    const type = { "content-type": { value: typeOfPath(file) } };
    const response = onResponse({ request: result, response: { statusCode: 200, headers: type } });
    return { status: 200, headers: fieldsOf(response.headers), body: { file } };
  });
}

function fieldsOf(fields: CloudFrontFields): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
}

interface VercelCondition {
  key: string;
  value: string;
}

interface VercelRoute {
  handle?: string;
  src?: string;
  caseSensitive?: boolean;
  has?: VercelCondition[];
  missing?: VercelCondition[];
  methods?: string[];
  dest?: string;
  status?: number;
  headers?: Record<string, string>;
  continue?: boolean;
  check?: boolean;
}

/**
 * Vercel: `routes` in their order, up to `handle: filesystem` before the files and the others after them; a route
 * with `check` whose file does not exist goes on with its path. As in the router of `vercel dev`.
 */
export async function startVercel(archive: EmulatedArchive): Promise<Emulated> {
  const { root, deploy } = archive;
  const { routes } = JSON.parse(readFileSync(join(deploy, "vercel.json"), "utf8")) as {
    routes: VercelRoute[];
  };
  const middle = routes.findIndex(({ handle }) => handle === "filesystem");
  const phases = [routes.slice(0, middle), routes.slice(middle + 1)];
  const fileOf = (path: string): string | undefined =>
    fileAt(root, path) ?? fileAt(root, `${path.replace(/\/$/, "")}/index.html`);

  return startHost(archive, async ({ method, path, query }) => {
    if (isStep(path)) return { status: 400 };
    const values = new Map([...new URLSearchParams(query)].reverse());
    const headers: Record<string, string> = {};
    for (const phase of phases) {
      const found = routed(phase, { method, path, values, headers }, fileOf);
      if (found?.status !== undefined && found.dest === undefined) {
        return { status: found.status, headers };
      }
      const file = fileOf(found?.path ?? path);
      if (file !== undefined) return { status: found?.status ?? 200, headers, body: { file } };
    }
    return { status: 404, headers };
  });
}

function routed(
  routes: readonly VercelRoute[],
  asked: {
    method: string;
    path: string;
    values: Map<string, string>;
    headers: Record<string, string>;
  },
  fileOf: (path: string) => string | undefined,
): { path: string; dest?: string; status?: number | undefined } | undefined {
  let { path } = asked;
  for (const route of routes) {
    const match = new RegExp(route.src ?? "", route.caseSensitive ? "" : "i").exec(path);
    if (match === null) continue;
    if (route.methods !== undefined && !route.methods.includes(asked.method)) continue;
    const groups: Record<string, string> = { ...match.groups };
    for (const [at, text] of match.entries()) groups[at] = text ?? "";
    const fits = ({ key, value }: VercelCondition): boolean => {
      const text = asked.values.get(key);
      const found = text === undefined ? null : new RegExp(`^${value}$`).exec(text);
      Object.assign(groups, found?.groups);
      return found !== null;
    };
    if (!(route.has ?? []).every(fits) || (route.missing ?? []).some(fits)) continue;
    const filled = (text: string): string =>
      text.replace(/\$([a-z]+|\d)/g, (whole, name: string) => groups[name] ?? whole);
    for (const [name, value] of Object.entries(route.headers ?? {})) {
      asked.headers[name] = filled(value);
    }
    if (route.continue) continue;
    const dest = route.dest === undefined ? undefined : filled(route.dest);
    if (route.check && dest !== undefined && fileOf(dest) === undefined) {
      path = dest;
      continue;
    }
    return { path: dest ?? path, ...(dest !== undefined && { dest }), status: route.status };
  }
  return undefined;
}

/** Folder of the published build in an output folder, where `public` and `deploy` lie beside each other. */
export function deployOf(out: string, host: string): EmulatedArchive {
  const deploy = join(out, "deploy", host);
  if (!existsSync(deploy)) throw new Error(`${deploy} is missing`);
  return { root: join(out, "public"), deploy };
}

const emulators = {
  netlify: startNetlify,
  cloudflare: startCloudflare,
  cloudfront: startCloudFront,
  vercel: startVercel,
} satisfies Record<string, (archive: EmulatedArchive) => Promise<Emulated>>;

/** Starts what is published in `out` on each host that has no server to install, by the host's name. */
export async function startEmulated(out: string): Promise<Map<string, Emulated>> {
  const hosts = new Map<string, Emulated>();
  for (const [name, start] of Object.entries(emulators)) {
    hosts.set(name, await start(deployOf(out, name)));
  }
  return hosts;
}

import { createHash } from "node:crypto";
import {
  descriptionFile,
  type FilterIndex,
  type MirrorDescription,
} from "../routes/description.ts";
import { corsHeaders, headerRules, headersOf, preflightHeaders } from "../routes/headers.ts";
import { sitePaths } from "../routes/site.ts";
import { nearestSlotOf, type Scaling, slotOf } from "../routes/slots.ts";
import { createTable, type JsonRequest, type MirrorTable } from "../routes/table.ts";
import type { ArchiveFile, ArchiveFiles, ByteRange, MadeImage } from "./archive.ts";
import { madePage } from "./behind.ts";
import { isFresh, rangeOf, type Version } from "./conditions.ts";
import { absoluteLinks } from "./links.ts";
import { refusalOf } from "./target.ts";

export interface HandlerOptions {
  files: ArchiveFiles;
  /** Folder of the mirror below the publish root, such as "api/v1". */
  root: string;
  /** Makes an image in a size that was not precomputed; without it, the nearest larger one is sent. */
  makeImage?: (
    id: string,
    scaling: Scaling,
    description: MirrorDescription,
  ) => Promise<MadeImage | undefined>;
  /** Bearer token that requests for JSON must carry; without it, none is asked for. */
  token?: string;
  /** Instead of the caching that a CDN is told. */
  cacheControl?: string;
  /** Longest path and query that is looked at, in characters. */
  longestTarget?: number;
}

/**
 * Answers requests for a published archive: its website, and below the mirror root the API with the origin's own
 * paths and query strings. Links in JSON lead to the address that was asked.
 *
 * @param request for a path from the publish root
 * @param target path and query as they were sent, where the request's URL may have been tidied up
 */
export type Handler = (request: Request, target?: string) => Promise<Response>;

/** What is known of one build. */
interface Build {
  version: string;
  table: MirrorTable;
  description: MirrorDescription;
  filterIndexes: Map<string, Promise<FilterIndex | undefined>>;
}

/** What is sent, before it is known how much of it. */
interface Content {
  status: number;
  /** Path that the headers go by. */
  path: string;
  version: Version;
  bytes: number;
  type: string;
  body(range?: ByteRange): Promise<Uint8Array | ReadableStream<Uint8Array>>;
}

export function createHandler(options: HandlerOptions): Handler {
  const { files, root, makeImage, token, cacheControl, longestTarget = 8_000 } = options;
  const mirror = `/${root}`;
  const rules = headerRules({ root });
  let known: Promise<Build | undefined> | undefined;
  let knownVersion: string | undefined;

  /** The rules of the build that is published now. */
  async function currentBuild(): Promise<Build | undefined> {
    const version = files.version?.() ?? "";
    if (known === undefined || knownVersion !== version) {
      knownVersion = version;
      known = loadBuild(version);
      // What could not be read may be there the next time.
      known.then((build) => build ?? forget(), forget);
    }
    return known;
  }

  function forget(): void {
    known = undefined;
  }

  async function loadBuild(version: string): Promise<Build | undefined> {
    const file = await files.open(`${root}/${descriptionFile}`);
    if (file === undefined) return undefined;
    const description = JSON.parse(await file.text()) as MirrorDescription;
    if (makeImage !== undefined && description.originals.length > 0) description.answers = "any";
    const table = createTable(description.rules);
    return { version, table, description, filterIndexes: new Map() };
  }

  async function answer(request: Request, target: string | undefined): Promise<Response> {
    const url = new URL(request.url);
    const asked = target ?? url.pathname + url.search;
    const [written = ""] = asked.split(/[?#]/, 1);
    const ofApi = written === mirror || written.startsWith(`${mirror}/`);
    const method = request.method;
    if (method === "OPTIONS" && ofApi) {
      return new Response(null, { status: 204, headers: { ...preflightHeaders } });
    }
    if (method !== "GET" && method !== "HEAD") {
      const allow = ofApi ? "GET, HEAD, OPTIONS" : "GET, HEAD";
      return refuse(405, "Method not allowed.", ofApi, method, { Allow: allow });
    }
    const refused = refusalOf(asked, longestTarget);
    if (refused !== undefined && refused !== 404) {
      return refuse(refused, refused === 414 ? "URI too long." : "Bad request.", ofApi, method);
    }
    const build = await currentBuild();
    if (build === undefined) return refuse(503, "Nothing is published.", ofApi, method);
    const content =
      refused === 404
        ? undefined
        : ofApi
          ? await apiContent(build, request, url, asked)
          : await siteContent(written, url.search);
    if (content instanceof Response) return content;
    if (content !== undefined) return send(request, content);
    const nothing = await missing(404, ofApi);
    if (nothing === undefined) return refuse(404, "Not found.", ofApi, method);
    return send(request, nothing);
  }

  async function apiContent(
    build: Build,
    request: Request,
    { origin, search }: URL,
    asked: string,
  ): Promise<Content | Response | undefined> {
    const [written = ""] = asked.split(/[?#]/, 1);
    const below = written.slice(mirror.length);
    const found = build.table.match(below, search);
    if (found?.route === "binary") return imageContent(build, found.id, found.scaling);
    if (found?.route === "download") return originalContent(build, found.id);
    let path = pathOf(written);
    // The origin lets images be had by a signature alone, and here nobody can sign.
    const open = /^images\/[^/]+\.(?:jpg|webp|avif)$|^(?:images\/)?by\//;
    if (!open.test(path?.slice(mirror.length) ?? "") && !isAuthorised(request, token)) {
      const linked = found === undefined ? await linkedContent(build, below) : undefined;
      if (linked !== undefined) return linked;
      return refuse(401, "Unauthenticated.", true, request.method, {
        "WWW-Authenticate": "Bearer",
      });
    }
    const linked = path === undefined ? undefined : build.table.scaledFileOf(path, search);
    if (linked !== undefined) path = linked;
    const file = path === undefined ? undefined : await files.open(path);
    if (path !== undefined && file !== undefined) {
      if (path === `${root}/${descriptionFile}`) {
        return jsonContent(path, JSON.stringify(build.description));
      }
      return file.type === "application/json"
        ? rewritten(build, path, file, origin)
        : fileContent(path, file);
    }
    return found === undefined ? linkedContent(build, below) : answerTo(build, found, origin);
  }

  /** What the origin answered, its links leading to the address that was asked. */
  async function answerTo(
    build: Build,
    request: JsonRequest,
    origin: string,
  ): Promise<Content | undefined> {
    const path = build.table.fileOf(request);
    const file = path === undefined ? undefined : await files.open(path);
    if (path !== undefined && file !== undefined) return rewritten(build, path, file, origin);
    if (request.route !== "index" && request.route !== "attachments") return undefined;
    const absolute = (json: string, from: string): string =>
      absoluteLinks(json, from, origin, build.description);
    const made = await madePage(request, {
      table: build.table,
      description: build.description,
      baseUrl: origin + mirror,
      filterIndex: (name) => filterIndexOf(build, name),
      absolute,
      async read(from) {
        const source = await files.open(from);
        return source && absolute(await source.text(), from);
      },
    });
    return typeof made === "string" ? jsonContent(path ?? root, made) : missing(made, true);
  }

  /** What is sent where there is nothing. */
  async function missing(status: number, ofApi: boolean): Promise<Content | undefined> {
    const path = ofApi ? `${root}/404.json` : sitePaths.notFound;
    const file = await files.open(path);
    return file && { ...fileContent(path, file), status };
  }

  function filterIndexOf(
    { table, filterIndexes }: Build,
    name: "articles" | "galleries",
  ): Promise<FilterIndex | undefined> {
    const loaded =
      filterIndexes.get(name) ??
      files
        .open(table.filterIndexOf(name))
        .then(async (file) => file && (JSON.parse(await file.text()) as FilterIndex));
    filterIndexes.set(name, loaded);
    return loaded;
  }

  async function rewritten(
    { description }: Build,
    path: string,
    file: ArchiveFile,
    origin: string,
  ): Promise<Content> {
    const text = await file.text();
    const changed = absoluteLinks(text, path, origin, description);
    return changed === text ? fileContent(path, file) : jsonContent(path, changed);
  }

  async function imageContent(
    { table, description }: Build,
    id: string,
    scaling: Scaling,
  ): Promise<Content | undefined> {
    const exact = table.fileOfImage(id, slotOf(scaling), "jpeg");
    const precomputed = await files.open(exact);
    if (precomputed !== undefined) return fileContent(exact, precomputed);
    const made = await makeImage?.(id, scaling, description);
    if (made !== undefined) {
      const { bytes, etag, type } = made;
      return bytesContent(exact, bytes, { etag }, type);
    }
    const nearest = table.fileOfImage(id, nearestSlotOf(table.rules.slots, scaling), "jpeg");
    const file = await files.open(nearest);
    return file && fileContent(nearest, file);
  }

  async function originalContent(
    { table, description }: Build,
    id: string,
  ): Promise<Content | undefined> {
    return firstContent(description.originals.map((ending) => table.fileOfOriginal(id, ending)));
  }

  /** The video, document or audio file whose link at the origin has this path below the base. */
  async function linkedContent(
    { table, description: { linked = [] } }: Build,
    below: string,
  ): Promise<Content | undefined> {
    return firstContent(linked.flatMap((ending) => table.fileOfLink(below, ending) ?? []));
  }

  async function firstContent(paths: readonly string[]): Promise<Content | undefined> {
    for (const path of paths) {
      const file = await files.open(path);
      if (file !== undefined) return fileContent(path, file);
    }
    return undefined;
  }

  async function siteContent(
    written: string,
    query: string,
  ): Promise<Content | Response | undefined> {
    const path = pathOf(written);
    if (path === undefined) return undefined;
    const own = path === "" || path.endsWith("/") ? `${path}index.html` : path;
    const file = await files.open(own);
    if (file !== undefined) return fileContent(own, file);
    if (own !== path || (await files.open(`${path}/index.html`)) === undefined) return undefined;
    return new Response(null, { status: 302, headers: { Location: `${written}/${query}` } });
  }

  function fileContent(path: string, file: ArchiveFile): Content {
    const { bytes, etag, modified, type } = file;
    const version = { etag, modified };
    return { status: 200, path, version, bytes, type, body: (range) => file.body(range) };
  }

  function jsonContent(path: string, text: string): Content {
    const bytes = new TextEncoder().encode(text);
    const etag = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
    return bytesContent(path, bytes, { etag }, "application/json");
  }

  function bytesContent(path: string, bytes: Uint8Array, version: Version, type: string): Content {
    const body = async (range?: ByteRange): Promise<Uint8Array> =>
      range === undefined ? bytes : bytes.subarray(range.start, range.end + 1);
    return { status: 200, path, version, bytes: bytes.length, type, body };
  }

  async function send(request: Request, content: Content): Promise<Response> {
    const { status, path, version, bytes, type } = content;
    const headers = new Headers({
      "Content-Type": type,
      ...headersOf(path, rules),
      ...(cacheControl === undefined ? {} : { "Cache-Control": cacheControl }),
    });
    const plain = status === 200;
    if (plain) {
      headers.set("ETag", `"${version.etag}"`);
      headers.set("Accept-Ranges", "bytes");
      if (version.modified !== undefined) {
        headers.set("Last-Modified", new Date(version.modified).toUTCString());
      }
      if (isFresh(request.headers, version)) {
        headers.delete("Content-Type");
        return new Response(null, { status: 304, headers });
      }
    }
    const head = request.method === "HEAD";
    const range = plain && !head ? rangeOf(request.headers, bytes, version) : undefined;
    if (range === "unsatisfiable") {
      headers.set("Content-Range", `bytes */${bytes}`);
      headers.set("Content-Length", "0");
      return new Response(null, { status: 416, headers });
    }
    if (range !== undefined) {
      headers.set("Content-Range", `bytes ${range.start}-${range.end}/${bytes}`);
    }
    headers.set("Content-Length", String(range ? range.end - range.start + 1 : bytes));
    const body = head || bytes === 0 ? null : await content.body(range);
    return new Response(body as Uint8Array<ArrayBuffer> | null, {
      status: range ? 206 : status,
      headers,
    });
  }

  function refuse(
    status: number,
    message: string,
    ofApi: boolean,
    method: string,
    more: Record<string, string> = {},
  ): Response {
    const body = ofApi ? JSON.stringify({ message }) : `${status} ${message}\n`;
    return new Response(method === "HEAD" ? null : body, {
      status,
      headers: {
        "Content-Type": ofApi ? "application/json" : "text/plain; charset=utf-8",
        "Content-Length": String(new TextEncoder().encode(body).length),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        ...(ofApi ? corsHeaders : {}),
        ...more,
      },
    });
  }

  return answer;
}

/** Whether a request carries the bearer token, where one is demanded. */
function isAuthorised(request: Request, token: string | undefined): boolean {
  if (token === undefined) return true;
  const [scheme = "", ...credentials] = (request.headers.get("authorization") ?? "").split(" ");
  return scheme.toLowerCase() === "bearer" && credentials.join(" ").trim() === token;
}

/** Path of a file from the publish root; undefined for what no file is called. */
function pathOf(written: string): string | undefined {
  try {
    const path = decodeURIComponent(written.slice(1));
    // A colon names a drive or a stream on Windows, and nothing in an archive.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    return /[\0-\x1f\x7f\\:]/.test(path) ? undefined : path;
  } catch {
    return undefined;
  }
}

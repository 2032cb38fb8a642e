import { headerRules, preflightHeaders } from "../routes/headers.ts";
import { redirectOf } from "../routes/redirects.ts";
import { sitePaths } from "../routes/site.ts";
import { apiContent, notFoundPath } from "./api.ts";
import type { ArchiveFiles, HandlerOptions } from "./archive.ts";
import { type Asked, pathOf, refuse, takeApart } from "./asked.ts";
import { type Build, createBuildReader } from "./builds.ts";
import { fileContent, firstContent, send } from "./content.ts";

export type { HandlerOptions } from "./archive.ts";

/**
 * Answers requests for a published archive: its website, and below the mirror root the API with the origin's own
 * paths and query strings. Links in JSON lead to the address that was asked.
 *
 * @param request for a path from the publish root
 * @param target path and query as they were sent, where the request's URL may have been tidied up
 */
export type Handler = (request: Request, target?: string) => Promise<Response>;

export function createHandler(options: HandlerOptions): Handler {
  const { root, cacheControl } = options;
  const rules = headerRules({ root });
  if (cacheControl !== undefined) {
    rules.push({ prefix: "/", suffix: "", headers: { "Cache-Control": cacheControl } });
  }
  const buildOf = createBuildReader(options);
  return async (request, target) => {
    const asked = takeApart(request, target, root);
    // Another build may be published while the answer is put together.
    const files = options.files.pinned?.() ?? options.files;
    const answer =
      answerEarly(asked) ?? (await contentFor(asked, { ...options, files }, await buildOf(files)));
    return answer instanceof Response ? answer : send(request, answer, rules);
  };
}

/** The answer to a request that no file is looked for: to another method, or a target that names none. */
function answerEarly(asked: Asked): Response | undefined {
  const { ofApi, refusal } = asked;
  const { method } = asked.request;
  if (method === "OPTIONS" && ofApi) {
    return new Response(null, { status: 204, headers: { ...preflightHeaders } });
  }
  if (method !== "GET" && method !== "HEAD") {
    const allow = ofApi ? "GET, HEAD, OPTIONS" : "GET, HEAD";
    return refuse(asked, 405, "Method not allowed.", { Allow: allow });
  }
  if (refusal === 414) return refuse(asked, 414, "URI too long.");
  return refusal === 400 ? refuse(asked, 400, "Bad request.") : undefined;
}

/** What the published build has for a request, or what is sent where it has nothing. */
async function contentFor(asked: Asked, options: HandlerOptions, build: Build | undefined) {
  const { files } = options;
  if (build === undefined) return refuse(asked, 503, "Nothing is published.");
  if (asked.refusal === undefined) {
    const content = asked.ofApi
      ? await apiContent({ ...asked, options, build })
      : await siteContent(asked, files, build);
    if (content !== undefined) return content;
  }
  const path = asked.ofApi ? notFoundPath(options.root) : sitePaths.notFound;
  const missing = await firstContent(files, [path]);
  return missing ? { ...missing, status: 404 } : refuse(asked, 404, "Not found.");
}

/** A page of the website, or a redirect to the folder that holds it, or from its old address. */
async function siteContent({ written, search }: Asked, files: ArchiveFiles, build: Build) {
  const path = pathOf(written);
  if (path === undefined) return undefined;
  const own = path === "" || path.endsWith("/") ? `${path}index.html` : path;
  const file = await files.open(own);
  if (file !== undefined) return fileContent(own, file);
  if (own === path && (await files.open(`${path}/index.html`)) !== undefined) {
    return new Response(null, { status: 302, headers: { Location: `${written}/${search}` } });
  }
  const page = redirectOf(await build.redirects(), `/${path}`);
  if (page === undefined) return undefined;
  return new Response(null, { status: 301, headers: { Location: `/${page}` } });
}

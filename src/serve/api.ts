import { descriptionFile, isOwnFile } from "../routes/description.ts";
import { nearestSlotOf, type Scaling, slotOf } from "../routes/slots.ts";
import type { JsonRequest } from "../routes/table.ts";
import type { ArchiveFile } from "./archive.ts";
import { type ApiAsked, pathOf, refuse } from "./asked.ts";
import { bytesContent, type Content, fileContent, firstContent, jsonContent } from "./content.ts";
import { absoluteLinks } from "./links.ts";
import { madePage } from "./made-pages.ts";

/** What answers a request below the mirror root: content, a refusal, or undefined where there is nothing. */
export async function apiContent(asked: ApiAsked): Promise<Content | Response | undefined> {
  const { below, search, written, options, build } = asked;
  const found = build.table.match(below, search);
  if (found?.route === "binary") return imageContent(asked, found.id, found.scaling);
  if (found?.route === "download") return originalContent(asked, found.id);
  const path = pathOf(written);
  if (!isOpen(path, options.root) && !isAuthorised(asked.request, options.token)) {
    const linked = found === undefined ? await linkedContent(asked) : undefined;
    return linked ?? refuse(asked, 401, "Unauthenticated.", { "WWW-Authenticate": "Bearer" });
  }
  const own = path === undefined ? undefined : await ownContent(asked, path);
  if (own !== undefined) return own;
  return found === undefined ? linkedContent(asked) : answerTo(asked, found);
}

/** The origin gives images to a signature alone, and here nobody can sign: they need no token. */
function isOpen(path: string | undefined, root: string): boolean {
  const below = path?.slice(root.length + 1) ?? "";
  return /^images\/[^/]+\.(?:jpg|webp|avif)$|^(?:images\/)?by\//.test(below);
}

/** Whether a request carries the bearer token, where one is demanded. */
function isAuthorised(request: Request, token: string | undefined): boolean {
  if (token === undefined) return true;
  const [scheme = "", ...credentials] = (request.headers.get("authorization") ?? "").split(" ");
  return scheme.toLowerCase() === "bearer" && credentials.join(" ").trim() === token;
}

/** The file at the path itself. */
async function ownContent(asked: ApiAsked, path: string): Promise<Content | undefined> {
  const { build, options, search } = asked;
  const own = build.table.scaledFileOf(path, search) ?? path;
  const file = await options.files.open(own);
  if (file === undefined) return undefined;
  if (own === `${options.root}/${descriptionFile}`) {
    return jsonContent(own, JSON.stringify(build.description));
  }
  const isAnswer = file.type === "application/json" && !isOwnFile(own, options.root);
  return isAnswer ? rewritten(asked, own, file) : fileContent(own, file);
}

/** What the origin answered, its links leading to the address that was asked. */
async function answerTo(asked: ApiAsked, request: JsonRequest): Promise<Content | undefined> {
  const { files, root } = asked.options;
  const path = asked.build.table.fileOf(request);
  const file = path === undefined ? undefined : await files.open(path);
  if (path !== undefined && file !== undefined) return rewritten(asked, path, file);
  if (request.route !== "index" && request.route !== "attachments") return undefined;
  const made = await madePage(asked, request);
  if (typeof made === "string") return jsonContent(path ?? root, made);
  const content = await firstContent(files, [notFoundPath(root)]);
  return content && { ...content, status: made };
}

/** What is sent below the mirror root where there is nothing. */
export const notFoundPath = (root: string): string => `${root}/404.json`;

async function rewritten(asked: ApiAsked, path: string, file: ArchiveFile): Promise<Content> {
  const text = await file.text();
  const changed = absoluteLinks(text, path, asked.origin, asked.build.description);
  return changed === text ? fileContent(path, file) : jsonContent(path, changed);
}

/** An image: precomputed, made now, or the nearest larger one. */
async function imageContent(asked: ApiAsked, id: string, scaling: Scaling) {
  const { table, description } = asked.build;
  const { files, makeImage } = asked.options;
  const exact = table.fileOfImage(id, slotOf(scaling), "jpeg");
  const precomputed = await firstContent(files, [exact]);
  if (precomputed !== undefined) return precomputed;
  const { signal } = asked.request;
  const made = await makeImage?.(id, scaling, description, { files, signal });
  if (made === "busy")
    return refuse(asked, 503, "Too many images are being made.", { "Retry-After": "5" });
  if (made !== undefined) return bytesContent(exact, made);
  const nearest = nearestSlotOf(table.rules.slots, scaling);
  return firstContent(files, [table.fileOfImage(id, nearest, "jpeg")]);
}

function originalContent({ build, options }: ApiAsked, id: string): Promise<Content | undefined> {
  const { table, description } = build;
  const paths = description.originals.map((ending) => table.fileOfOriginal(id, ending));
  return firstContent(options.files, paths);
}

/** The video, document or audio file whose link at the origin has this path below the base. */
function linkedContent({ build, options, below }: ApiAsked): Promise<Content | undefined> {
  const { linked = [] } = build.description;
  const paths = linked.flatMap((ending) => build.table.fileOfLink(below, ending) ?? []);
  return firstContent(options.files, paths);
}

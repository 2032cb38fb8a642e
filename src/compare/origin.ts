import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiClient, Downloaded } from "../api/client.ts";
import { WireEnvelope } from "../api/schema.ts";
import { ApiError, exitCodes } from "../errors.ts";
import type { ApiRequest, JsonRequest, Routes } from "../routes/table.ts";
import { type Picture, pictureOf } from "./pictures.ts";
import type { Population } from "./population.ts";

/** What the origin answers, as far as a comparison needs it. */
export type OriginAnswer =
  | { form: "json"; text: string }
  | { form: "picture"; type: string; picture: Picture }
  | { form: "file"; type: string; sha256: string; bytes: number }
  /** A refusal that is an answer, such as 404. */
  | { form: "status"; status: number }
  | { form: "none"; reason: string };

type FileRequest = Extract<ApiRequest, { route: "binary" | "download" }>;

const remembered = 1000;
/** Refusals that concern the resource; all others concern the service or the token. */
const answers = new Set([400, 404, 405, 406, 410, 414, 422]);

/** Asks the origin through the governed client; the latest answers are remembered. */
export type OriginReader = ReturnType<typeof createOriginReader>;

/** Its functions throw an ApiError where the token is refused, a BudgetError, or the signal's reason. */
export function createOriginReader(
  client: ApiClient,
  routes: Routes,
  { images }: Pick<Population, "images">,
) {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-compare-"));
  const known = new Map<string, Promise<OriginAnswer>>();

  /** @param query of an image: the scaling as it is asked for, which begins with "?" or is empty */
  async function answerTo(request: ApiRequest, query = ""): Promise<OriginAnswer> {
    const url = routes.urlOf(request);
    if (url === undefined) return { form: "none", reason: "no such endpoint" };
    const key = url + query;
    const found = known.get(key);
    if (found !== undefined) return found;
    const isBinary = request.route === "binary" || request.route === "download";
    const asked = isBinary
      ? download(request, query)
      : client.json(url).then(({ text }): OriginAnswer => ({ form: "json", text }));
    const answer = asked.catch((error: unknown) => failureOf(error, isBinary));
    known.set(key, answer);
    if (known.size > remembered) known.delete(known.keys().next().value as string);
    return answer;
  }

  /** The answers that may link the files of an image: its own, and the page of the index that lists it. */
  function listingsOf(id: string): JsonRequest[] {
    const page = images.find((image) => image.id === id)?.page;
    const own: JsonRequest = { route: "single", index: "images", id };
    const listing: JsonRequest = { route: "index", index: "images", page: page ?? 1 };
    const isListed = page !== undefined || routes.urlOf(own) === undefined;
    return isListed ? [own, listing] : [own];
  }

  /** The link to a file of an image, or the answer in its place. */
  async function linkTo({ route, id }: FileRequest): Promise<string | OriginAnswer> {
    let answer: OriginAnswer = { form: "none", reason: "the origin has no link to it" };
    for (const request of listingsOf(id)) {
      const listing = await answerTo(request);
      if (listing.form !== "json") {
        if (listing.form === "status") answer = listing;
        continue;
      }
      const { data } = JSON.parse(listing.text) as { data?: unknown };
      const listed = [data].flat() as { id?: unknown; links?: Record<string, unknown> }[];
      const links = listed.find((image) => String(image?.id) === id)?.links;
      const link = links?.[route === "binary" ? "web" : "download"];
      if (typeof link === "string") return link;
    }
    return answer;
  }

  /** Downloads a file of an image, once more with a fresh link if a remembered one has expired. */
  async function download(request: FileRequest, query: string, again = true) {
    const link = await linkTo(request);
    if (typeof link !== "string") return link;
    try {
      // The API document, image binary retrieval, rule 1: scaling does not invalidate a signature.
      const scaling = link.includes("?") ? query.replace("?", "&") : query;
      return await fetchFile(request, link + scaling);
    } catch (error) {
      if (!again || !(error instanceof ApiError) || error.status !== 403) throw error;
    }
    for (const listing of listingsOf(request.id)) known.delete(routes.urlOf(listing) ?? "");
    return download(request, query, false);
  }

  async function fetchFile({ route, id }: FileRequest, url: string): Promise<OriginAnswer> {
    const path = join(folder, randomUUID());
    try {
      // Asked without validators, so that there is a file.
      const { type = "", sha256, bytes } = (await client.download(url, path, { id })) as Downloaded;
      if (route === "download") return { form: "file", type, sha256, bytes };
      return { form: "picture", type, picture: await pictureOf(await readFile(path)) };
    } finally {
      await rm(path, { force: true });
    }
  }

  return {
    answerTo,
    /** Last page of a list, by its first one; 1 where it does not say. */
    async lastPage(request: Extract<JsonRequest, { page: number }>): Promise<number> {
      const first = await answerTo({ ...request, page: 1 });
      if (first.form !== "json") return 1;
      const parsed = WireEnvelope.safeParse(JSON.parse(first.text));
      return Math.max(1, parsed.data?.meta?.last_page ?? 1);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Failures of one request alone are answers too. @throws what concerns every request */
function failureOf(error: unknown, isBinary: boolean): OriginAnswer {
  if (!(error instanceof Error)) throw error;
  if (!(error instanceof ApiError)) {
    if ("exitCode" in error) throw error;
    return { form: "none", reason: error.message };
  }
  if (answers.has(error.status)) return { form: "status", status: error.status };
  const refused = error.status === 401 || error.status === 403;
  if (error.exitCode === exitCodes.budget || (refused && !isBinary)) throw error;
  return { form: "none", reason: error.message };
}

import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiClient, Downloaded } from "../api/client.ts";
import { WireEnvelope } from "../api/schema.ts";
import { ApiError, exitCodes } from "../errors.ts";
import type { JsonRequest, Routes } from "../routes/table.ts";
import { type Picture, pictureOf } from "./pictures.ts";
import type { ImageItem } from "./population.ts";

/** What the origin answers, as far as a comparison needs it. */
export type OriginAnswer =
  | { form: "json"; text: string }
  | { form: "picture"; type: string; picture: Picture }
  | { form: "file"; type: string; sha256: string; bytes: number }
  /** A refusal that is an answer, such as 404. */
  | { form: "status"; status: number }
  | { form: "none"; reason: string };

const remembered = 1000;
/** Refusals that concern the resource; all others concern the service or the token. */
const answers = new Set([400, 404, 405, 406, 410, 414, 422]);

/** Asks the origin through the governed client; the latest answers are remembered. */
export type OriginReader = ReturnType<typeof createOriginReader>;

/** Its functions throw an ApiError where the token is refused, a BudgetError, or the signal's reason. */
export function createOriginReader(
  client: ApiClient,
  routes: Routes,
  images: readonly ImageItem[],
) {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-compare-"));
  const known = new Map<string, Promise<OriginAnswer>>();

  /** The remembered answer, or a new one. Failures are not remembered. */
  function once(key: string, kind: "json" | "binary", ask: () => Promise<OriginAnswer>) {
    const found = known.get(key);
    if (found !== undefined) return found;
    const answer = ask().catch((error) => failureOf(error, kind));
    known.set(key, answer);
    answer.catch(() => known.delete(key));
    if (known.size > remembered) known.delete(known.keys().next().value as string);
    return answer;
  }

  /** Downloads the file behind a link of an image; once more with a fresh link if a listed one is refused. */
  async function download(
    id: string,
    name: "web" | "download",
    query: string,
    use: (path: string, file: Downloaded) => OriginAnswer | Promise<OriginAnswer>,
  ): Promise<OriginAnswer> {
    const image = images.find((one) => one.id === id);
    const freshLink = async () => (await freshLinks(client, routes, id, image?.page ?? 1))?.[name];
    const path = join(folder, randomUUID());
    const get = async (link: string): Promise<OriginAnswer> => {
      const url = link.includes("?") ? link + query.replace("?", "&") : link + query;
      // Asked without validators, so that there is a file.
      return use(path, (await client.download(url, path)) as Downloaded);
    };
    const link = image?.links[name] ?? (await freshLink());
    if (typeof link !== "string") throw new Error("the origin has no link to it");
    try {
      return await get(link);
    } catch (error) {
      const isForbidden = error instanceof ApiError && error.status === 403;
      const fresh = isForbidden ? await freshLink() : undefined;
      if (typeof fresh !== "string") throw error;
      return await get(fresh);
    } finally {
      await rm(path, { force: true });
    }
  }

  async function json(request: JsonRequest): Promise<OriginAnswer> {
    const url = routes.urlOf(request);
    if (url === undefined) return { form: "none", reason: "no such endpoint" };
    return once(url, "json", async () => ({ form: "json", text: (await client.json(url)).text }));
  }

  return {
    json,
    /** An image in the scaling of a query, which begins with "?" or is empty. */
    picture: (id: string, query: string): Promise<OriginAnswer> =>
      once(id + query, "binary", () =>
        // The API document, image binary retrieval, rule 1: scaling does not invalidate a signature.
        download(id, "web", query, async (path, { type = "" }) => {
          return { form: "picture", type, picture: await pictureOf(await readFile(path)) };
        }),
      ),
    original: (id: string): Promise<OriginAnswer> =>
      once(`${id}/download`, "binary", () =>
        download(id, "download", "", (_, { type = "", sha256, bytes }) => {
          return { form: "file", type, sha256, bytes };
        }),
      ),
    /** Last page of a list, by its first one; 1 where it does not say. */
    async lastPage(request: Extract<JsonRequest, { page: number }>): Promise<number> {
      const first = await json({ ...request, page: 1 });
      if (first.form !== "json") return 1;
      const parsed = WireEnvelope.safeParse(JSON.parse(first.text));
      return Math.max(1, parsed.data?.meta?.last_page ?? 1);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The links of an image from its own answer, or from the page of the index that lists it. */
async function freshLinks(client: ApiClient, routes: Routes, id: string, page: number) {
  const single = routes.urlOf({ route: "single", index: "images", id });
  const url = single ?? routes.urlOf({ route: "index", index: "images", page });
  if (url === undefined) return undefined;
  const { data } = (await client.json(url)).value as { data?: unknown };
  const images = [data].flat() as { id?: unknown; links?: Record<string, unknown> }[];
  return images.find((image) => String(image?.id) === id)?.links;
}

/** Failures of one request alone are answers too. @throws what concerns every request */
function failureOf(error: unknown, kind: "json" | "binary"): OriginAnswer {
  if (!(error instanceof Error)) throw error;
  if (!(error instanceof ApiError)) {
    if ("exitCode" in error) throw error;
    return { form: "none", reason: error.message };
  }
  if (answers.has(error.status)) return { form: "status", status: error.status };
  const refused = error.status === 401 || error.status === 403;
  if (error.exitCode === exitCodes.budget || (refused && kind === "json")) throw error;
  return { form: "none", reason: error.message };
}

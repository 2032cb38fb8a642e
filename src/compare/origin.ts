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
import type { Population } from "./population.ts";

/** What the origin answers, as far as a comparison needs it. */
export type OriginAnswer =
  | { form: "json"; text: string }
  | { form: "picture"; type: string; picture: Picture }
  | { form: "file"; type: string; sha256: string; bytes: number }
  /** A refusal that is an answer too, such as 404. */
  | { form: "status"; status: number }
  /** No answer to compare with, and why. */
  | { form: "none"; reason: string };

/** Asks the origin through the governed client; the latest answers are remembered. */
export interface OriginReader {
  /** @throws ApiError where the token is refused, BudgetError, the signal's reason */
  json(request: JsonRequest): Promise<OriginAnswer>;
  /** An image in the scaling of a query, which begins with "?" or is empty. */
  picture(id: string, query: string): Promise<OriginAnswer>;
  original(id: string): Promise<OriginAnswer>;
  /** Last page of a list, by its first one; 1 where it does not say. */
  lastPage(request: Extract<JsonRequest, { page: number }>): Promise<number>;
  close(): void;
}

/** Answers that are remembered: those to the same request, or the first page of a list that has several. */
const remembered = 1000;
/** A refusal with one of these says something of the resource; every other one, of the service or the token. */
const answers = new Set([400, 404, 405, 406, 410, 414, 422]);

/** What is asked of the origin, and how. */
interface Asking {
  client: ApiClient;
  routes: Routes;
  population: Pick<Population, "images">;
  /** For downloads. */
  folder: string;
  answers: Map<string, Promise<OriginAnswer>>;
}

export function createOriginReader(
  client: ApiClient,
  routes: Routes,
  population: Pick<Population, "images">,
): OriginReader {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-compare-"));
  const asking: Asking = { client, routes, population, folder, answers: new Map() };
  const json = (request: JsonRequest): Promise<OriginAnswer> => {
    const url = routes.urlOf(request);
    if (url === undefined) return Promise.resolve({ form: "none", reason: "no such endpoint" });
    return once(asking, url, "json", async () => {
      const { text } = await client.json(url);
      return { form: "json", text };
    });
  };
  return {
    json,
    picture: (id, query) =>
      once(asking, id + query, "binary", () =>
        // The API document, image binary retrieval, rule 1: scaling does not invalidate a signature.
        download(asking, id, "web", query, async (path, { type = "" }) => {
          return { form: "picture", type, picture: await pictureOf(await readFile(path)) };
        }),
      ),
    original: (id) =>
      once(asking, `${id}/download`, "binary", () =>
        download(asking, id, "download", "", async (_, { type = "", sha256, bytes }) => {
          return { form: "file", type, sha256, bytes };
        }),
      ),
    async lastPage(request) {
      const first = await json({ ...request, page: 1 });
      if (first.form !== "json") return 1;
      const parsed = WireEnvelope.safeParse(JSON.parse(first.text));
      return Math.max(1, parsed.data?.meta?.last_page ?? 1);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The remembered answer, or a new one; a failure is not remembered. */
function once(
  { answers: known }: Asking,
  key: string,
  kind: "json" | "binary",
  ask: () => Promise<OriginAnswer>,
): Promise<OriginAnswer> {
  const found = known.get(key);
  if (found !== undefined) return found;
  const answer = answered(kind, ask);
  known.set(key, answer);
  answer.catch(() => known.delete(key));
  if (known.size > remembered) known.delete(known.keys().next().value as string);
  return answer;
}

/** Downloads what a link of an image leads to; once more with a fresh link where a listed one is refused. */
async function download(
  asking: Asking,
  id: string,
  name: "web" | "download",
  query: string,
  use: (path: string, file: Downloaded) => Promise<OriginAnswer>,
): Promise<OriginAnswer> {
  const listed = asking.population.images.find((image) => image.id === id)?.links[name];
  const link = listed ?? (await freshLinks(asking, id))?.[name];
  if (typeof link !== "string") throw new Error("the origin names no link for it");
  const path = join(asking.folder, randomUUID());
  const get = async (from: string): Promise<OriginAnswer> => {
    const url = from.includes("?") ? from + query.replace("?", "&") : from + query;
    return use(path, await asking.client.download(url, path));
  };
  try {
    return await get(link);
  } catch (error) {
    const fresh = isForbidden(error) ? (await freshLinks(asking, id))?.[name] : undefined;
    if (typeof fresh !== "string") throw error;
    return await get(fresh);
  } finally {
    await rm(path, { force: true });
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}

/** The links of an image from its own answer, or from the page of the index that lists it. */
async function freshLinks(
  { client, routes, population }: Asking,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  const single = routes.urlOf({ route: "single", index: "images", id });
  const page = population.images.find((image) => image.id === id)?.page ?? 1;
  const url = single ?? routes.urlOf({ route: "index", index: "images", page });
  if (url === undefined) return undefined;
  const { data } = (await client.json(url)).value as { data?: unknown };
  const images = (Array.isArray(data) ? data : [data]) as {
    id?: unknown;
    links?: Record<string, unknown>;
  }[];
  return images.find((image) => String(image?.id) === id)?.links;
}

/** What came of a request: failures of this one alone are answers too. @throws what concerns every request */
async function answered(
  kind: "json" | "binary",
  ask: () => Promise<OriginAnswer>,
): Promise<OriginAnswer> {
  try {
    return await ask();
  } catch (error) {
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
}

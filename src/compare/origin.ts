import { mkdtempSync, rmSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiClient, Downloaded } from "../api/client.ts";
import { WireEnvelope } from "../api/schema.ts";
import { ApiError, exitCodes } from "../errors.ts";
import type { JsonRequest, Routes } from "../routes/table.ts";
import { createCache } from "./cache.ts";
import { type Picture, pictureOf } from "./pictures.ts";

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
  /** Takes the links of an image from an object that a list had. */
  remember(image: unknown): void;
  /** Last page of a list, by its first one; 1 where it does not say. */
  lastPage(request: Extract<JsonRequest, { page: number }>): Promise<number>;
  close(): void;
}

/** Links are taken anew when they are older than this; the service's live for twelve hours. */
const linkAgeMs = 3_600_000;
const rememberedBytes = 192 << 20;
const rememberedLinks = 20_000;
/** A refusal with one of these says something of the resource; every other one, of the service or the token. */
const answers = new Set([400, 404, 405, 406, 410, 414, 422]);

interface Links {
  at: number;
  web: string | undefined;
  download: string | undefined;
  /** By the query that asks for them, as the API document writes it. */
  thumbs: Map<string, string>;
}

export function createOriginReader(options: {
  client: ApiClient;
  routes: Routes;
  /** Page of the image index that lists an image, for an origin without single images. */
  pageOf: (id: string) => number | undefined;
  now?: () => number;
}): OriginReader {
  const { client, routes, pageOf, now = Date.now } = options;
  const folder = mkdtempSync(join(tmpdir(), "stillpress-compare-"));
  const cache = createCache<OriginAnswer>(rememberedBytes, weightOf);
  const links = new Map<string, Links>();
  let files = 0;

  function remember(image: unknown): void {
    const { id, links: urls } = (image ?? {}) as { id?: unknown; links?: Record<string, unknown> };
    if (typeof id !== "string" && typeof id !== "number") return;
    const { web, download, thumbnail } = urls ?? {};
    const shapes = (typeof thumbnail === "object" ? thumbnail : null) as Record<
      string,
      unknown
    > | null;
    const thumbs = new Map<string, string>();
    for (const [query, shape] of [
      ["?thumb=1", "square"],
      ["?orientation=p&thumb=1", "portrait"],
      ["?orientation=l&thumb=1", "landscape"],
    ] as const) {
      const url = textOf(shapes?.[shape]);
      if (url !== undefined) thumbs.set(query, url);
    }
    links.delete(String(id));
    links.set(String(id), { at: now(), web: textOf(web), download: textOf(download), thumbs });
    if (links.size > rememberedLinks) links.delete(links.keys().next().value as string);
  }

  async function linksOf(id: string): Promise<Links | undefined> {
    const known = links.get(id);
    if (known !== undefined && now() - known.at < linkAgeMs) return known;
    links.delete(id);
    const single = routes.urlOf({ route: "single", index: "images", id });
    if (single !== undefined) {
      const { value } = await client.json(single);
      remember((value as { data?: unknown } | null)?.data);
    } else {
      const page = pageOf(id);
      const url = page && routes.urlOf({ route: "index", index: "images", page });
      if (url === undefined || url === 0) return undefined;
      const { data } = WireEnvelope.parse((await client.json(url)).value);
      for (const image of data) remember(image);
    }
    return links.get(id);
  }

  /** Downloads what a link of an image leads to; once more with a new link where that is refused. */
  async function download<T>(
    id: string,
    urlOf: (links: Links) => string | undefined,
    use: (path: string, file: Downloaded) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const url = urlOf((await linksOf(id)) ?? noLinks);
      if (url === undefined) throw new Error("the origin names no link for it");
      const path = join(folder, String(files++));
      try {
        return await use(path, await client.download(url, path));
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 403 || attempt > 1) throw error;
        links.delete(id);
      } finally {
        await rm(path, { force: true });
      }
    }
  }

  const json = (request: JsonRequest): Promise<OriginAnswer> => {
    const url = routes.urlOf(request);
    if (url === undefined) return Promise.resolve({ form: "none", reason: "no such endpoint" });
    return cache.get(url, () =>
      answered("json", async () => {
        const { text } = await client.json(url);
        return { form: "json", text };
      }),
    );
  };

  return {
    json,
    remember,
    picture: (id, query) =>
      cache.get(`${id}${query}`, () =>
        answered("binary", () =>
          download(
            id,
            ({ web, thumbs }) => thumbs.get(query) ?? (web && withQuery(web, query)),
            async (path, { type = "" }) => {
              const picture = await pictureOf(await readFile(path));
              return { form: "picture", type, picture };
            },
          ),
        ),
      ),
    original: (id) =>
      cache.get(`${id}/download`, () =>
        answered("binary", () =>
          download(
            id,
            (all) => all.download,
            async (_, { type = "", sha256, bytes }) => ({ form: "file", type, sha256, bytes }),
          ),
        ),
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

const noLinks: Links = { at: 0, web: undefined, download: undefined, thumbs: new Map() };

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

function withQuery(url: string, query: string): string {
  if (query === "") return url;
  return url.includes("?") ? `${url}&${query.slice(1)}` : url + query;
}

function weightOf(answer: OriginAnswer): number {
  if (answer.form === "json") return 2 * answer.text.length + 500;
  return answer.form === "picture" ? answer.picture.small.length + 500 : 500;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

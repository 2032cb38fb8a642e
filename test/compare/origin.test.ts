import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type ApiClient, createClient } from "../../src/api/client.ts";
import { createOriginReader, type OriginReader } from "../../src/compare/origin.ts";
import { ConfigSchema } from "../../src/config.ts";
import { createRoutes } from "../../src/routes/table.ts";
import { generateContent } from "../support/content.ts";
import { type Origin, startOrigin } from "../support/origin.ts";

let origin: Origin;
let client: ApiClient;
let reader: OriginReader;
let id: string;

beforeAll(async () => {
  const content = await generateContent({ articles: 2, galleries: 1, images: 8, seed: 1 });
  origin = await startOrigin({ content });
  id = [...content.images].find((image) => !image.private)?.id ?? "";
});
afterAll(() => origin.close());

function open(paths: Record<string, string | null> = {}): OriginReader {
  const config = ConfigSchema.parse({
    origin: { baseUrl: origin.baseUrl, rate: { requests: 1_000_000, perSeconds: 1 }, paths },
  });
  client = createClient({ config, token: origin.tokens.organisation });
  const images = [{ id, width: 1, height: 1, page: 1 }];
  return createOriginReader(client, createRoutes(config), { images });
}

beforeEach(() => {
  origin.requests.length = 0;
  reader = open();
  return async () => {
    reader.close();
    await client.close();
  };
});

const asked = (): string[] =>
  origin.requests.map(({ url, status }) => `${url.replace(/\?.*/, "")} ${status}`);

describe("what the origin answers", () => {
  const picture = (id: string) => ({ route: "binary", id, scaling: {} }) as const;
  const original = (id: string) => ({ route: "download", id }) as const;

  it("is asked once, with a link from the single image, which is asked once for all sizes", async () => {
    const first = await reader.answerTo(picture(id), "?width=100");
    expect(first).toMatchObject({ form: "picture", type: "image/jpeg", picture: { width: 100 } });
    expect(await reader.answerTo(picture(id), "?width=100")).toBe(first);
    expect(asked()).toEqual([`/api/v1/images/${id} 200`, `/api/v1/images/${id}.jpg 200`]);
    expect(await reader.answerTo(picture(id), "")).toMatchObject({ form: "picture" });
    expect(asked()).toHaveLength(3);
  });

  it("is asked with a new link where the remembered one is refused", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      expect(await reader.answerTo(picture(id), "")).toMatchObject({ form: "picture" });
      // The origin's links are valid for 12 hours.
      vi.setSystemTime(Date.now() + 13 * 3_600_000);
      const answer = await reader.answerTo(picture(id), "?width=100");
      expect(answer).toMatchObject({ form: "picture", picture: { width: 100 } });
      expect(asked().map((line) => line.slice(-3))).toEqual(["200", "200", "403", "200", "200"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("takes links from the list where the origin does not answer for single images", async () => {
    const withoutSingles = open({ image: "/nowhere/{id}" });
    const answer = await withoutSingles.answerTo(original(id));
    expect(answer).toMatchObject({ form: "file", type: "image/jpeg" });
    expect(asked().slice(0, 2)).toEqual([`/api/v1/nowhere/${id} 404`, "/api/v1/images 200"]);
    withoutSingles.close();
  });

  it("takes links from the list where there are no single images", async () => {
    const withoutSingles = open({ image: null as never });
    expect(await withoutSingles.answerTo(original(id))).toMatchObject({
      form: "file",
      type: "image/jpeg",
    });
    expect(asked()[0]).toBe("/api/v1/images 200");
    withoutSingles.close();
  });

  it("may be that there is nothing", async () => {
    expect(await reader.answerTo({ route: "single", index: "articles", id: "none" })).toEqual({
      form: "status",
      status: 404,
    });
    expect(await reader.answerTo(picture("none"))).toEqual({ form: "status", status: 404 });
  });

  it("leaves no file behind", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "stillpress-test-"));
    const before = process.env.TMPDIR;
    process.env.TMPDIR = temporary;
    const other = open();
    await other.answerTo(original(id));
    const [folder = ""] = readdirSync(temporary);
    expect(readdirSync(join(temporary, folder))).toEqual([]);
    other.close();
    expect(existsSync(join(temporary, folder))).toBe(false);
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(temporary, { recursive: true });
  });
});

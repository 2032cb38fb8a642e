import { describe, expect, it } from "vitest";
import { pathsOf } from "../../src/compare/description.ts";
import { ConfigSchema } from "../../src/config.ts";
import { createRoutes } from "../../src/routes/table.ts";

describe("pathsOf", () => {
  it.each([
    {},
    { image: null, videos: "/files?kind=video", galleryAudio: "/g/{id}/sounds" },
    // What a token may not list is not asked of the origin either.
    { galleries: null, images: null, categories: null, tags: null },
  ])("tells the origin's paths from the rules of its mirror: %j", (paths) => {
    const baseUrl = "https://api.example.org/v1";
    const config = ConfigSchema.parse({ origin: { baseUrl, paths } });
    expect(pathsOf(createRoutes(config).rules)).toEqual(config.origin.paths);
  });
});

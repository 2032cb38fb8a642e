import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { personalities } from "../../src/demo/options.ts";
import { readBuildManifest } from "../../src/publish/manifest.ts";
import { type Press, startPress } from "../support/archive.ts";
import { makeFixture } from "./fixture.ts";

interface Operation {
  operationId: string;
  responses: Record<string, { content: Record<string, { schema?: object }> }>;
}

interface OpenApi {
  openapi: string;
  paths: Record<string, { get: Operation }>;
  components: { schemas: Record<string, { $ref: string }> };
}

const names = Object.keys(personalities) as (keyof typeof personalities)[];

describe.each(names)('the description of a mirror of the origin "%s"', (name) => {
  let press: Press;
  let root: string;
  let text: (path: string) => string;
  let api: OpenApi;
  beforeAll(async () => {
    press = await startPress({ personality: name, pressed: true });
    const published = realpathSync(join(press.out, "public"));
    text = (path) => readFileSync(join(published, path), "utf8");
    root = /"root": "([^"]*)"/.exec(text(mirrorFile()))?.[1] ?? "";
    api = JSON.parse(text(`${root}/openapi.json`));
  });
  afterAll(() => press.close());

  const build = (): string => join(realpathSync(join(press.out, "public")), "..");
  const files = () => [...readBuildManifest(build()).values()];
  const mirrorFile = (): string =>
    files().find(({ path }) => /\/mirror\.json$/.test(path))?.path ?? "";

  /** Compiles the schema of an operation's answer, with the files that it refers to. */
  function validator() {
    const ajv = new Ajv2020({ strict: false, validateFormats: true, ownProperties: true });
    addFormats.default(ajv);
    ajv.addSchema({ ...api, $id: "http://archive.test/openapi.json" });
    for (const { $ref } of Object.values(api.components.schemas))
      ajv.addSchema({
        ...JSON.parse(text(`${root}/${$ref}`)),
        $id: new URL($ref, "http://archive.test/").href,
      });
    return (path: string) => {
      const pointer = `/paths/${path.replaceAll("/", "~1")}/get/responses/200/content/application~1json/schema`;
      return ajv.getSchema(`http://archive.test/openapi.json#${encodeURI(pointer)}`);
    };
  }

  it("holds for each answer that the archive has", () => {
    const validate = validator();
    const seen = new Map<string, number>();
    const wrong: string[] = [];
    for (const { path, url } of files()) {
      if (!path.endsWith(".json") || url === undefined) continue;
      const asked = decodeURI(url.slice(1).replace(/\?.*/s, "")).slice(root.length);
      const template = templateOf(asked, Object.keys(api.paths));
      const check = validate(template);
      if (check === undefined) throw new Error(`no schema for ${url}`);
      seen.set(template, (seen.get(template) ?? 0) + 1);
      if (!check(JSON.parse(text(path))))
        wrong.push(`${path}: ${JSON.stringify(check.errors?.[0])}`);
    }
    expect(wrong).toEqual([]);
    expect(seen.size).toBeGreaterThan(8);
  });

  it("has an operation of its own name for each path", () => {
    const ids = Object.values(api.paths).map(({ get }) => get.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(api.openapi).toBe("3.1.0");
    expect(ids).toContain("list-articles");
  });
});

/** The path of the description that a path below the base matches; the one with most of its own words. */
function templateOf(path: string, templates: readonly string[]): string {
  const fits = templates.filter((template) => {
    const parts = template.split("{id}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join("[^/]+")}$`).test(path);
  });
  const [best = ""] = fits.sort((a, b) => a.split("{id}").length - b.split("{id}").length);
  return best;
}

it("tells what the API document does not show, and what the origin never sent", () => {
  const fixture = makeFixture();
  try {
    const schema = JSON.parse(
      String(contentOf(fixture.files().get("api/v1/schemas/article-in-index.json"))),
    );
    for (const [name, member] of Object.entries<{ description?: string }>(schema.properties)) {
      const isShown = documented.includes(name);
      expect([name, member.description]).toEqual([
        name,
        isShown ? undefined : "not in the API document",
      ]);
    }
    const missing = documented.filter((name) => !Object.hasOwn(schema.properties, name));
    expect(schema["x-documented-but-not-seen"]).toEqual(missing);
  } finally {
    fixture.close();
  }
});

/** The article object of the API document. */
const documented = [
  "id",
  "organisation_id",
  "title",
  "slug",
  "published_at",
  "created_at",
  "links",
  "attachments",
  "synopsis",
  "category",
  "tags",
  "rating",
];

const contentOf = (file: object | undefined): unknown =>
  (file as { content: () => string }).content();

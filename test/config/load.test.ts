import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { configJsonSchema, configurationPage } from "../../scripts/configuration-page.ts";
import { loadConfig, readToken } from "../../src/config/load.ts";
import { leafSettings } from "../../src/config/shape.ts";
import type { Config } from "../../src/config.ts";
import { ConfigError } from "../../src/errors.ts";
import { fileOf, load, refusal } from "./support.ts";

const minimal = '{ "origin": { "baseUrl": "https://a.example/api/v1" } }';

/** Message and hint of what a call throws. */
function thrown(call: () => unknown): { message: string; hint: string | undefined } {
  try {
    call();
  } catch (error) {
    if (error instanceof ConfigError) return { message: error.message, hint: error.hint };
    throw error;
  }
  return expect.unreachable("nothing was thrown");
}

describe("loadConfig", () => {
  it("has the defaults of the public contract", () => {
    expect(load(minimal)).toEqual({
      origin: {
        baseUrl: "https://a.example/api/v1",
        tokenEnv: "STILLPRESS_TOKEN",
        tokenFile: null,
        tokenKind: "auto",
        headers: {},
        paths: {
          galleries: "/galleries",
          images: "/images",
          categories: "/categories",
          tags: "/tags",
          articleImages: "/articles/{id}/images",
          articleVideos: "/articles/{id}/videos",
          articleDocuments: "/articles/{id}/documents",
          articleAudio: "/articles/{id}/audio",
          galleryImages: "/galleries/{id}/images",
          galleryVideos: "/galleries/{id}/videos",
          galleryAudio: "/galleries/{id}/audio",
          image: "/images/{id}",
          videos: "/videos",
          documents: "/documents",
          audio: "/audio",
        },
        bodyField: "auto",
        mediaLink: "auto",
        timezone: "UTC",
        tagMatch: "auto",
        rate: "auto",
        tokenPaths: [],
        allowHosts: [],
      },
      crawl: {
        concurrency: 8,
        privateImages: "exclude",
        refresh: "changed",
        recheck: { share: 0.15, maxRequests: 2_000, maxSeconds: 1_800 },
        volatile: ["rating"],
        maxPasses: 5,
        maxDuration: null,
        patience: 60,
        removals: "follow",
        maxRemoved: { share: 0.05, items: 50 },
        maxProblems: 0,
        limits: { items: 1_000_000, values: 2_000_000, bytes: 20_000_000_000 },
      },
      media: {
        originals: true,
        publishOriginals: true,
        metadata: "keep",
        unproved: "hold",
        formats: ["jpeg", "webp"],
        quality: { jpeg: 80, webp: 78, avif: 50 },
        web: { width: 1600 },
        thumbs: { square: [300, 300], portrait: [300, 400], landscape: [400, 300] },
        variants: [
          { width: 320 },
          { width: 640 },
          { width: 960 },
          { width: 1280 },
          { height: 480 },
          { width: 600, height: 400 },
          { scale: 50 },
        ],
        animations: { frames: 240, pixels: 40_000_000 },
        ffmpeg: null,
        limitPixels: 100_000_000,
      },
      site: {
        title: "Archive",
        description: "",
        url: null,
        accent: null,
        logo: null,
        nav: ["articles", "galleries", "images", "categories", "tags", "archive"],
        robots: "index",
        language: "en",
        templates: "templates",
        perPage: 20,
        permalinks: "slug",
        paths: "unicode",
        sharePictures: true,
        ratingScale: null,
        exclude: { ids: [], slugs: [], categories: [], tags: [] },
        search: "bodies",
      },
      mirror: {
        root: "auto",
        links: "file",
        filters: ["year", "year+month", "category", "tag"],
        emptyLists: true,
      },
      hosts: ["nginx", "caddy"],
      build: { workers: "auto" },
      engine: {
        kind: "local",
        redis: "redis://127.0.0.1:6379",
        blobs: null,
        patience: 300,
        encoder: null,
      },
      publish: {
        target: null,
        swap: "link",
        keepDeleted: 3_600,
        maxDeleted: { share: 0.25, files: 100 },
        apiKeys: false,
        after: null,
      },
      hooks: { success: null, failure: null },
      out: "out",
      keepBuilds: 2,
    });
  });

  it("takes comments, trailing commas and a byte order mark", () => {
    const text = `\uFEFF// ours\n{ "origin": { "baseUrl": "https://a.example", /* none */ }, }`;
    expect(load(text).origin.baseUrl).toBe("https://a.example");
  });

  it("cuts slashes off the end of addresses", () => {
    const text =
      '{"origin":{"baseUrl":"https://a.example/v1//"},"site":{"url":"https://b.example/"}}';
    const config = load(text);
    expect(config.origin.baseUrl).toBe("https://a.example/v1");
    expect(config.site.url).toBe("https://b.example");
  });

  it("makes the folders absolute, from the working directory", () => {
    const loaded = loadConfig({ file: fileOf(minimal), env: {} });
    expect(loaded.out).toBe(resolve("out"));
    expect(loaded.templates).toBe(resolve("templates"));
  });

  it.each([
    ['{"origin":{"rate":"auto"}}', { rate: "auto" }],
    [
      '{"origin":{"rate":{"requests":1,"perSeconds":0.5}}}',
      { rate: { requests: 1, perSeconds: 0.5 } },
    ],
    [
      '{"origin":{"allowHosts":["CDN.example.org:8443","[::1]:80"]}}',
      { allowHosts: ["CDN.example.org:8443", "[::1]:80"] },
    ],
    ['{"origin":{"timezone":"Pacific/Auckland"}}', { timezone: "Pacific/Auckland" }],
    [
      '{"origin":{"paths":{"documents":null}}}',
      { paths: expect.objectContaining({ documents: null }) },
    ],
  ])("accepts %s", (text, expected) => {
    const { origin } = JSON.parse(text);
    const config = load(JSON.stringify({ origin: { baseUrl: "https://a.example", ...origin } }));
    expect(config.origin).toMatchObject(expected);
  });

  it("says of every setting what it expects, whatever stands there instead", () => {
    const leaves = [...leafSettings()];
    const silent: string[] = [];
    for (const { path } of leaves) {
      for (const wrong of [{ a: 1 }, [[]], -0.5, false, "\u0000"]) {
        const config: Record<string, unknown> = { origin: { baseUrl: "https://a.example" } };
        const last = path.at(-1) as string;
        let target = config;
        for (const part of path.slice(0, -1)) {
          target[part] ??= {};
          target = target[part] as Record<string, unknown>;
        }
        target[last] = wrong;
        for (const line of refusal(JSON.stringify(config))) {
          const isTold =
            /^(?:accepted$|ci\.json: [\w.[\]]+: (?:expected |unknown key)|hint: )/.test(line);
          if (!isTold) silent.push(`${path.join(".")}: ${line}`);
        }
      }
    }
    expect(leaves.length).toBeGreaterThan(40);
    expect(silent).toEqual([]);
  });
});

describe("the place of a mistake", () => {
  it("is the line of the setting, also in lists and after other line breaks", () => {
    const text = [
      "{",
      '  "origin": { "baseUrl": "https://a.example" },',
      '  "media": {',
      '    "variants": [',
      '      { "width": 320 },',
      '      { "width": "wide" },',
      "      320",
      "    ]",
      "  },",
      '  "outt": 5',
      "}",
    ];
    const told = [
      'ci.json: media.variants[1].width: expected a whole number of pixels, got "wide" (line 6)',
      "ci.json: media.variants[2]: expected an object, got 320 (line 7)",
      "ci.json: outt: unknown key (line 10)",
      'hint: did you mean "out" instead of "outt"?',
    ];
    expect(refusal(text.join("\n"))).toEqual(told);
    expect(refusal(text.join("\r\n"))).toEqual(told);
  });

  it("is told for each of several mistakes", () => {
    const text = `{
      "origin": { "baseUrl": "https://a.example" },
      "site": { "perPages": 5, "titel": "x" }
    }`;
    expect(refusal(text)).toEqual([
      "ci.json: site.perPages: unknown key (line 3)",
      "ci.json: site.titel: unknown key (line 3)",
      'hint: did you mean "perPage" instead of "perPages", "title" instead of "titel"?',
    ]);
  });

  it("is told of a key that stands twice", () => {
    const text = `{
      "origin": { "baseUrl": "https://a.example" },
      "media": { "variants": [{ "width": 1 }, { "width": 1, "width": 2 }] }
    }`;
    expect(refusal(text)).toEqual([
      'ci.json:3:61: the key "width" stands here again',
      "hint: keep one of them",
    ]);
  });

  it("is told of a key that JavaScript would swallow", () => {
    const text = `{
      "origin": { "baseUrl": "https://a.example" },
      "__proto__": { "out": "x" }
    }`;
    expect(refusal(text)).toEqual([
      "ci.json: __proto__: unknown key; known are $schema, origin, crawl, media, site, mirror, hosts, build, engine, publish, hooks, out, keepBuilds (line 3)",
    ]);
  });

  it.each([
    ["", "1:1: value expected"],
    ["{", "1:2: close brace expected"],
    ['{ "out": }', "1:10: value expected"],
    ['{ "out": "a" "site": {} }', "1:14: comma expected"],
    ['{\n  "out" "a"\n}', "2:9: colon expected"],
    ["{\n  out: 1\n}", "2:3: invalid symbol"],
    ["{ 'out': 1 }", "1:3: invalid symbol"],
    ['{ "out": "a', "1:10: unexpected end of string"],
    ['{ "out": "\\x" }', "1:10: invalid escape character"],
    ['{ "out": "\\u00" }', "1:10: invalid unicode"],
    ["{} /* x", "1:4: unexpected end of comment"],
    ["{} {}", "1:4: end of file expected"],
    ['{ "hosts": ["nginx" }', "1:21: comma expected"],
  ])("is line and column where the syntax of %j is wrong", (text, told) => {
    const file = fileOf(text);
    expect(thrown(() => loadConfig({ file, env: {} }))).toEqual({
      message: `${file}:${told}`,
      hint: "a configuration is JSON; comments and trailing commas are allowed",
    });
  });

  it.each(["[]", '"text"', "5", "null"])("is the whole file where that is %s", (text) => {
    expect(refusal(text)).toEqual(["ci.json: expected a JSON object"]);
  });

  it("is the file's name where there is none", () => {
    const file = join(fileOf("{}"), "..", "other.json");
    expect(thrown(() => loadConfig({ file, env: {} }))).toEqual({
      message: `${file}: no such file`,
      hint: 'name a configuration with --config FILE, or write one with "stillpress init"',
    });
  });

  it("is the folder's name where a folder was given", () => {
    expect(thrown(() => loadConfig({ file: "src", env: {} })).message).toBe("src: cannot be read");
  });
});

describe("precedence", () => {
  const file = (): string =>
    fileOf('{"origin":{"baseUrl":"https://a.example"},"out":"from-file","site":{"title":"File"}}');

  it("is flags, environment, file, defaults", () => {
    const env = { STILLPRESS_OUT: "from-env" };
    expect(loadConfig({ file: fileOf(minimal), env: {} }).config.out).toBe("out");
    expect(loadConfig({ file: file(), env: {} }).config.out).toBe("from-file");
    expect(loadConfig({ file: file(), env }).config.out).toBe("from-env");
    expect(loadConfig({ file: file(), env, flags: { out: "from-flag" } }).config.out).toBe(
      "from-flag",
    );
    expect(loadConfig({ file: file(), env, flags: { out: undefined } }).config.out).toBe(
      "from-env",
    );
  });

  it.each([
    ["STILLPRESS_ORIGIN_BASE_URL", "https://b.example/", "origin.baseUrl", "https://b.example"],
    ["STILLPRESS_ORIGIN_PATHS_DOCUMENTS", "null", "origin.paths.documents", null],
    ["STILLPRESS_ORIGIN_RATE", "auto", "origin.rate", "auto"],
    [
      "STILLPRESS_ORIGIN_RATE",
      '{"requests":1,"perSeconds":2}',
      "origin.rate",
      { requests: 1, perSeconds: 2 },
    ],
    ["STILLPRESS_ORIGIN_TOKEN_FILE", "null", "origin.tokenFile", null],
    ["STILLPRESS_ORIGIN_ALLOW_HOSTS", '["b.example"]', "origin.allowHosts", ["b.example"]],
    ["STILLPRESS_CRAWL_MAX_REMOVED_ITEMS", "7", "crawl.maxRemoved.items", 7],
    ["STILLPRESS_CRAWL_RECHECK_MAX_REQUESTS", "70", "crawl.recheck.maxRequests", 70],
    ["STILLPRESS_CRAWL_REFRESH_SHARE", "0.5", "crawl.refreshShare", 0.5],
    ["STILLPRESS_MEDIA_ORIGINALS", "false", "media.originals", false],
    ["STILLPRESS_MEDIA_VARIANTS", '[{"width":9}]', "media.variants", [{ width: 9 }]],
    ["STILLPRESS_SITE_PER_PAGE", "50", "site.perPage", 50],
    ["STILLPRESS_SITE_TITLE", "2024", "site.title", "2024"],
    ["STILLPRESS_SITE_TITLE", "null", "site.title", "null"],
    ["STILLPRESS_SITE_TITLE", "", "site.title", "File"],
    ["STILLPRESS_HOSTS", "[]", "hosts", []],
  ])("lets %s=%s set a value", (name, value, path, expected) => {
    const { config } = loadConfig({ file: file(), env: { [name]: value } });
    const parts = path.split(".");
    expect(
      parts.reduce((at: unknown, part) => (at as Record<string, unknown>)[part], config),
    ).toEqual(expected);
  });

  it.each([
    [
      "STILLPRESS_SITE_TITEL",
      "x",
      "STILLPRESS_SITE_TITEL: no such setting",
      'did you mean "STILLPRESS_SITE_TITLE"?',
    ],
    [
      "STILLPRESS_SITE_PER_PAGE",
      "many",
      'STILLPRESS_SITE_PER_PAGE: site.perPage: expected a whole number of items, got "many"',
      undefined,
    ],
    [
      "STILLPRESS_MEDIA_VARIANTS",
      '[{"width":0}]',
      "STILLPRESS_MEDIA_VARIANTS: media.variants[0].width: expected 1 or more pixels, got 0",
      undefined,
    ],
    [
      "STILLPRESS_MEDIA_VARIANTS",
      "[",
      'STILLPRESS_MEDIA_VARIANTS: media.variants: expected a list in [ ], got "["',
      undefined,
    ],
  ])("names the variable in %s=%s", (name, value, message, hint) => {
    expect(thrown(() => loadConfig({ file: file(), env: { [name]: value } }))).toEqual({
      message,
      hint,
    });
  });

  it("names the flag", () => {
    const told = thrown(() => loadConfig({ file: file(), env: {}, flags: { out: "" } }));
    expect(told.message).toBe('--out: out: expected a text that is not empty, got ""');
  });

  it("does not take the token's variable for a setting, whatever it is called", () => {
    const named = fileOf('{"origin":{"baseUrl":"https://a.example","tokenEnv":"STILLPRESS_KEY"}}');
    const env = { STILLPRESS_TOKEN: "a", STILLPRESS_KEY: "b", HOME: "/" };
    expect(loadConfig({ file: named, env }).config.origin.tokenEnv).toBe("STILLPRESS_KEY");
    const other = { STILLPRESS_ORIGIN_TOKEN_ENV: "STILLPRESS_OTHER", STILLPRESS_OTHER: "c" };
    expect(loadConfig({ file: named, env: other }).config.origin.tokenEnv).toBe("STILLPRESS_OTHER");
    expect(thrown(() => loadConfig({ file: file(), env: { STILLPRESS_KEY: "b" } })).message).toBe(
      "STILLPRESS_KEY: no such setting",
    );
  });

  it("leaves a file's mistake for the file to be told", () => {
    expect(
      refusal('{"origin":{"baseUrl":"https://a.example"},"site":5}', {
        env: { STILLPRESS_SITE_TITLE: "x" },
      }),
    ).toEqual(["ci.json: site: expected an object, got 5 (line 1)"]);
  });

  it("lets any text be a title", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (title) => {
        const { config } = loadConfig({
          file: "config/demo.json",
          env: { STILLPRESS_SITE_TITLE: title },
        });
        expect(config.site.title).toBe(title);
      }),
      { numRuns: 30 },
    );
  });
});

describe("readToken", () => {
  let origin: Config["origin"];
  beforeEach(() => {
    origin = load(minimal).origin;
  });

  it("reads the named variable, and cuts white space off", () => {
    expect(readToken(origin, { STILLPRESS_TOKEN: " abc\n" })).toBe("abc");
    expect(readToken({ ...origin, tokenEnv: "KEY" }, { STILLPRESS_TOKEN: "abc", KEY: "def" })).toBe(
      "def",
    );
  });

  it("reads the file where one is named, whatever the environment says", () => {
    const tokenFile = fileOf("\uFEFFfrom-file\r\n", "token");
    expect(readToken({ ...origin, tokenFile }, { STILLPRESS_TOKEN: "abc" })).toBe("from-file");
  });

  it.each([
    [{}, "no token: the variable STILLPRESS_TOKEN is not set"],
    [{ STILLPRESS_TOKEN: " " }, "no token: the variable STILLPRESS_TOKEN is not set"],
    [
      { STILLPRESS_TOKEN: "Bearer abc" },
      "the variable STILLPRESS_TOKEN: the token has characters that no HTTP header may carry",
    ],
    [
      { STILLPRESS_TOKEN: "ab\r\nX-Evil: 1" },
      "the variable STILLPRESS_TOKEN: the token has characters that no HTTP header may carry",
    ],
  ])("refuses %o without telling it", (env, message) => {
    expect(thrown(() => readToken(origin, env)).message).toBe(message);
  });

  it("says which file is missing or empty", () => {
    const empty = fileOf("\n", "token");
    expect(thrown(() => readToken({ ...origin, tokenFile: empty }, {})).message).toBe(
      `no token: ${empty} is empty`,
    );
    const missing = `${empty}.not`;
    expect(thrown(() => readToken({ ...origin, tokenFile: missing }, {})).message).toBe(
      `origin.tokenFile: ${missing}: no such file`,
    );
  });
});

describe("the files in config/", () => {
  it("hold the JSON Schema of the code", () => {
    expect(readFileSync("config/schema.json", "utf8")).toBe(configJsonSchema());
  });

  it("are described by docs/configuration.md as the code says it (npm run schema)", () => {
    expect(readFileSync("docs/configuration.md", "utf8")).toBe(configurationPage());
  });

  it("are all valid", () => {
    const files = readdirSync("config").filter(
      (name) => name !== "schema.json" && /\.jsonc?$/.test(name),
    );
    expect(files).toEqual(expect.arrayContaining(["demo.json"]));
    for (const name of files) {
      const { config } = loadConfig({ file: join("config", name), env: {} });
      expect(config.origin.baseUrl).toMatch(/^https?:/);
    }
  });

  it("describe every setting in the schema that its name does not explain", () => {
    const schema = JSON.parse(configJsonSchema());
    expect(schema.required).toEqual(["origin"]);
    expect(schema.additionalProperties).toBe(false);
    expect(schema.properties.origin.required).toEqual(["baseUrl"]);
    const described = [...leafSettings()].filter((leaf) => leaf.shape.description);
    expect(described.length).toBeGreaterThan(35);
  });
});

// An author, with any text in a member of his article; an origin, with any header; a reader, with any request.
import { setFlagsFromString } from "node:v8";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allowanceOf, dateOf, policyOf, retryAfterOf } from "../../../src/api/headers.ts";
import { createLinkBook } from "../../../src/api/links.ts";
import { createUnsigner } from "../../../src/api/signatures.ts";
import { createIdFinder } from "../../../src/catalogue/id-finder.ts";
import { changedFields } from "../../../src/changes/fields.ts";
import { plainText } from "../../../src/changes/text.ts";
import { diffWords } from "../../../src/changes/words.ts";
import {
  cutFileText,
  cutOriginText,
  matchText,
  mirrorUrls,
} from "../../../src/compare/references.ts";
import { csvText, xmlText } from "../../../src/lib/foreign.ts";
import { grouped } from "../../../src/lib/groups.ts";
import { printable, withoutSignatures } from "../../../src/lib/secrets.ts";
import { tokenCutter } from "../../../src/lib/token.ts";
import { fileTypeOf } from "../../../src/media/magic.ts";
import { createLinker } from "../../../src/mirror/links.ts";
import { brokenLinks } from "../../../src/review/bodies.ts";
import { folderOf } from "../../../src/review/findings.ts";
import {
  type FilterIndex,
  type MirrorDescription,
  positionsOf,
} from "../../../src/routes/description.ts";
import { assignPermalinks } from "../../../src/routes/permalinks.ts";
import { oldPathOf } from "../../../src/routes/redirects.ts";
import { viewFileOf } from "../../../src/routes/view-paths.ts";
import { refusalOf } from "../../../src/serve/asked.ts";
import { isFresh, rangeOf } from "../../../src/serve/content.ts";
import { absoluteLinks } from "../../../src/serve/links.ts";
import { renderBody, textOfBody, urlsOf } from "../../../src/site/body.ts";
import { srcsetUrls } from "../../../src/site/body-urls.ts";
import { bylineOf } from "../../../src/site/byline.ts";
import { createFormats } from "../../../src/site/formats.ts";
import { initialOf } from "../../../src/site/initials.ts";
import { createLookup } from "../../../src/site/links.ts";
import {
  beginsWith,
  excerpt,
  readable,
  readableSummary,
  titleClass,
  withoutUrls,
} from "../../../src/site/plain-text.ts";
import { searchWords } from "../../../src/site/search/words.ts";
import { loadTemplates } from "../../../src/site/templates.ts";
import { languageOf } from "../../../src/site/written.ts";
import { locateBody } from "../../../src/store/body.ts";
import { locateMediaLink } from "../../../src/store/media-link.ts";
import { normalise } from "../../../src/store/records.ts";
import { idsOfHtml, referencesOfPage } from "../../../src/verify/references.ts";
import { createArchive } from "../../site/fixture.ts";
import { growthOf, hostile } from "../hostile-texts.ts";

const archive = createArchive({
  articles: [{ id: "one", slug: "one" }],
  images: [{ id: "pic", size: [1600, 1200], caption: "A caption" }],
});
// In a process that has compiled many expressions, V8 stops optimising them: a loop of one or more then needs the stack.
beforeAll(() => setFlagsFromString("--no-regexp-optimization"));
afterAll(() => setFlagsFromString("--regexp-optimization"));
afterAll(() => archive.close());
const { catalogue, config } = archive;
const formats = createFormats("en", "UTC");
const base = config.origin.baseUrl;
const page = "articles/one.html";
const lookup = createLookup(catalogue, page, "https://media.example.org/view/one", base);
const link = (path: string): string => `../${path}`;
const unsigner = createUnsigner(config.origin);
const { words } = searchWords(loadTemplates());
const hosts = new Set(["media.example.org"]);
const linker = createLinker(catalogue, config, () => 1);
const finder = createIdFinder([
  "secret-1",
  "550e8400-e29b-41d4-a716-446655440000",
  "0123456789abcdefg",
]);
const cut = tokenCutter("a-secret-token");
const originHosts = { base: new URL(base), isRequest: () => true, clean: (text: string) => text };
const version = { etag: "a", modified: 0 };
const description: MirrorDescription = {
  stillpress: 1,
  rules: catalogue.routes.rules,
  links: "file",
  url: null,
  tagMatch: "any",
  media: config.media,
  originals: [],
  answers: "files",
};
const json = (text: string) => JSON.stringify({ text, list: [text] });
const urlOf = (text: string) => `https://media.example.org/view/${text.replaceAll("\t", "%09")}`;

/** Everything that meets a text of strangers. */
const readers: Record<string, (text: string) => unknown> = {
  renderBody: (text) => renderBody(text, { catalogue, formats, lookup, link }),
  urlsOf,
  textOfBody,
  withoutUrls,
  readable,
  readableSummary,
  beginsWith: (text) => beginsWith(text, text),
  searchWords: (text) => words(text),
  excerpt: (text) => excerpt(text),
  titleClass,
  initialOf,
  languageOf,
  srcsetUrls,
  lookup,
  "lookup of a page": (text) => lookup(urlOf(text)),
  "lookup of a signed link": (text) => lookup(`${base}/images/x.jpg?expires=1&signature=${text}`),
  bylineOf: (text) => bylineOf({ author: [text, { name: text }] }),
  brokenLinks: (text) =>
    brokenLinks(["#x", text], () => `<a href="#x">${text}`, { lookup, isOrigins: () => true }),
  csvText: (text) => csvText([[text]]),
  folderOf: (text) => folderOf(urlOf(text)),
  plainText,
  diffWords: (text) => diffWords(text, `x ${text} y`),
  changedFields: (text) => changedFields(json(text), json(`${text}x`), []),
  withoutSignatures: (text) => withoutSignatures(`${text}expires=1&signature=2`, hosts),
  printable: (text) => printable(urlOf(text)),
  unsigner: (text) => unsigner.clean(text),
  tokenCutter: (text) => cut(json(`a-secret-token${text}`)),
  xmlText,
  idFinder: (text) => finder.withoutIds(text),
  linker: (text) => linker.rewrite(json(text), "api/v1/articles/one.json"),
  absoluteLinks: (text) =>
    absoluteLinks(json(text), "api/v1/x.json", "https://x.test", {
      ...description,
      links: "api",
    }),
  "absoluteLinks, relative": (text) =>
    absoluteLinks(json(text), "api/v1/x.json", "https://x.test", description),
  oldPathOf: (text) => oldPathOf(urlOf(text)),
  viewFileOf: (text) => viewFileOf(urlOf(text)),
  assignPermalinks: (text) => assignPermalinks([{ id: "1", slug: text, createdAt: null }], "slug"),
  refusalOf: (text) => refusalOf(`/${text}`),
  rangeOf: (text) => rangeOf(headers("range", `bytes=${text}`), 10, version),
  "rangeOf to": (text) => rangeOf(headers("range", `bytes=1${text}-${text}x`), 10, version),
  "if-range": (text) => {
    const asked = headers("if-range", text);
    asked.set("range", "bytes=1-2");
    return rangeOf(asked, 10, version);
  },
  "if-none-match": (text) => isFresh(headers("if-none-match", text), version),
  "if-modified-since": (text) => isFresh(headers("if-modified-since", text), version),
  dateOf: (text) => dateOf(`Mon, ${text}`),
  retryAfterOf: (text) => retryAfterOf({ "retry-after": text }, 0),
  allowanceOf: (text) =>
    allowanceOf({ ratelimit: text, "x-ratelimit-remaining": "0", "x-ratelimit-reset": text }, 0),
  policyOf: (text) => policyOf({ "ratelimit-policy": text, "ratelimit-limit": text }),
  linkBook: (text) => createLinkBook().remember("images", "1", `https://a.test/?expires=${text}`),
  locateBody: (text) => locateBody({ body: { x: text }, y: text }, "auto"),
  locateMediaLink: (text) =>
    locateMediaLink("videos", { id: "7", file: text, url: urlOf(text) }, config.origin),
  normalise: (text) =>
    normalise("articles", { id: text, slug: text, published_at: text, tags: [text] }, "auto"),
  grouped: (text) => grouped(Array(4).fill({ subject: text, reason: text })),
  fileTypeOf: (text) => fileTypeOf({ head: Buffer.from(text), tail: Buffer.from(text) }, "text/x"),
  referencesOfPage: (text) => [...referencesOfPage(text, { path: page, home: null })],
  idsOfHtml,
  cutOriginText: (text) => cutOriginText(`http://a.test/${text}`, originHosts),
  cutFileText: (text) => cutFileText(`./${text}`, "https://x.test"),
  "matchText of an answer with another end": (text) => {
    const cut = cutOriginText(text, originHosts);
    return matchText(cut, `${text.replaceAll("//a.test", "/api")} `, mirrorUrls([]));
  },
  positionsOf: (text) => positionsOf(filterIndex(), { tags: text.match(/.{1,4}/gs) ?? [] }, "all"),
  matchText: (text) =>
    matchText(cutOriginText(text, originHosts), text.replaceAll("//", "/x"), mirrorUrls([])),
};

/** Of an archive of a thousand items with four tags each. */
function filterIndex(): FilterIndex {
  return {
    perPage: 20,
    categories: {},
    tags: { a: 1 },
    items: Array(1000).fill([0, -1, 1, 2, 3, 4]),
  };
}

function headers(name: string, value: string): Headers {
  return new Headers({ [name]: value.replace(/[^\t\x20-\x7e]/g, "x") });
}

describe("takes time in proportion to its text:", () => {
  it.each(Object.entries(readers))("%s", (_, read) => {
    const slow = Object.entries(hostile).flatMap(([name, write]) => {
      const growth = growthOf((size) => read(write(size)));
      return growth === "linear" ? [] : [`${name}: ${growth}`];
    });
    expect(slow).toEqual([]);
  });
});

/** Each as long as a part of an answer of 64 MiB, which is the most that is read. */
const long: Record<string, string> = {
  "a word": "a".repeat(9_000_000),
  "a tag": `<a ${"b".repeat(9_000_000)}`,
  "an address": `<a href="http://a.test/${"b".repeat(9_000_000)}">x</a>`,
  "an address from the root": `"/${"b".repeat(9_000_000)}`,
  marks: "\u0301".repeat(9_000_000),
  faces: "\u{1f600}".repeat(9_000_000),
};

describe("reads millions of characters in a row:", () => {
  const names = ["plainText", "linker", "absoluteLinks", "cutOriginText", "cutFileText", "lookup"];
  const more = [
    "assignPermalinks",
    "searchWords",
    "bylineOf",
    "textOfBody",
    "withoutUrls",
    "srcsetUrls",
    "idFinder",
    "unsigner",
    "urlsOf",
    "beginsWith",
    "locateBody",
  ];
  it.each([...names, ...more])("%s", (name) => {
    for (const text of Object.values(long)) expect(() => readers[name]?.(text)).not.toThrow();
  });
  it("the address of a page", () => {
    for (const text of Object.values(long)) expect(catalogue.locate(text)).toBeUndefined();
  });
});

it("reads a body with a noscript in each of its many layers", () => {
  const pictures = '<img src="https://cdn.example/a.jpg">'.repeat(20_000);
  for (const layer of ["<noscript>", '<noscript><img src="/a.jpg"></noscript><div>']) {
    // To look through all of it in each layer would take more time than the test has.
    const { html } = renderBody(layer.repeat(400) + pictures, { catalogue, formats, lookup, link });
    expect(html).toContain('href="https://cdn.example/a.jpg"');
  }
});

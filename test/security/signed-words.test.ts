// An author, with a title, a body, a `links.view` or the address of a document that looks like a signed link.
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUnsigner, type Unsigner } from "../../src/api/signatures.ts";

const origin = { baseUrl: "https://o.test/api/v1", allowHosts: ["cdn.o.test"] };
const base = "https://o.test/api/v1/images/1.jpg";
const hex = "9f86d081884c7d659a2feaa0c55ad0153c1e0f5ad3a1b8f2";
const id = "4b0d3f7e-1c1c-4c52-9d1f-0a3b5e6f7a8b";
/** What a MongoDB gives out as ids. */
const objectId = "65f1c2a9e4b0a1b2c3d4e5f6";

const signed = (signature: string, host = "o.test"): string =>
  `https://${host}/api/v1/images/1.jpg?expires=1700000000&signature=${signature}`;

/** After answers of an origin that has these articles. */
function taught(...articles: object[]): Unsigner {
  const unsigner = createUnsigner(origin);
  unsigner.learn({ data: articles });
  return unsigner;
}

const word = "internationalisation";
const text = `The ${word} of ${id}, at https://news.test/the-story-of-2024-and-2025 and ${objectId}.`;

describe("no word is taken out of the other articles by", () => {
  it.each([
    ["a title that is a path", { title: `/?signature=${word}` }],
    ["a title that is a path with an expiry", { title: `/x?expires=1700000000&signature=${word}` }],
    ["a title that is a link of the origin", { title: signed(word) }],
    ["a title with what could be a signature", { title: signed("covid19in2021and2022") }],
    ["a synopsis", { synopsis: `/?signature=${id}` }],
    ["a body that is one link", { body: signed(hex) }],
    ["a page on a host of its own", { links: { view: signed(hex, "evil.example") } }],
    ["a page on the origin's host", { links: { view: signed(hex) } }],
    ["a pair of a picture's meta", { meta: { url: signed(hex), links: { web: signed(hex) } } }],
    ["a link to a file without an expiry", { links: { download: `${base}?signature=${hex}` } }],
    ["a link to a file whose signature is a word", { links: { download: signed(word) } }],
    ["one in capitals", { links: { download: signed("Internationalisation") } }],
    ["one whose signature has a word", { links: { download: signed(`a+${word}/x==`) } }],
    ["one whose signature is a UUID", { links: { download: signed(id) } }],
    [
      "one whose signature is a slug",
      { links: { download: signed("the-story-of-2024-and-2025") } },
    ],
    ["one whose signature is its id", { id: objectId, links: { download: signed(objectId) } }],
    ["a file of its own", { file: signed("a-story-of-internationalisation") }],
  ])("%s", (_, article) => {
    const { clean, concerns } = taught(article);
    const others = [text, word, "covid19in2021and2022", hex, `${hex} in a list`];
    expect(others.map(clean)).toEqual(others);
    expect(concerns(JSON.stringify(text))).toBe(false);
  });

  it("a signature that is the id or the slug of another article, listed before it or behind it", () => {
    const slug = "x9k2m4-q7w3e5r8t1";
    const others = [{ id: objectId }, { id: "7", slug }, { tags: ["f3a9b2c8d1e6f4a7b5"] }];
    const values = [objectId, slug, "f3a9b2c8d1e6f4a7b5"];
    for (const value of values) {
      const hostile = { links: { download: signed(value) } };
      for (const order of [
        [hostile, ...others],
        [...others, hostile],
      ]) {
        const { clean } = taught(...order);
        expect(clean(`/articles/${value}`)).toBe(`/articles/${value}`);
      }
    }
  });
});

it("a page on a hostile host makes no host one of the service", () => {
  const { clean, hosts } = taught({ links: { view: signed(hex, "shop.example") } });
  const offer = "https://shop.example/offer?expires=2024&signature=none";
  expect(clean(offer)).toBe(offer);
  expect(hosts()).not.toContain("shop.example");
});

describe("a signature that the service signs with is found wherever it is repeated", () => {
  const found = (article: object, value: string): void => {
    expect(taught(article).clean(`x ${value} y`)).toBe("x [signature] y");
  };
  it.each(["web", "download", "file"])("in links.%s", (name) => {
    found({ links: { [name]: signed(hex) } }, hex);
  });
  it("in thumbnails, on the host that files come from", () => {
    found({ links: { thumbnail: { square: signed(hex, "img.example") } } }, hex);
    found({ links: { thumbnail: signed(hex, "cdn.o.test") } }, hex);
  });
  it.each(["file", "url", "download_url", "src"])("in a member %s of its own", (name) => {
    found({ [name]: signed(hex) }, hex);
    found({ [name]: [{ url: signed(hex) }] }, hex);
  });
  it("whatever is signed, in hexadecimal and in base64", () => {
    for (let number = 0; number < 1000; number++) {
      const signature = createHmac("sha256", "key").update(`${number}`);
      const written = signature.digest(number % 2 === 0 ? "hex" : "base64url");
      expect(taught({ links: { web: signed(written) } }).clean(written)).toContain("[signature]");
    }
  });
});

describe("what was cleaned is clean", () => {
  const secret = "ab3cd9ef2ab7cd1ef5ab3cd9ef2ab7cd";
  const cleanOf = () => taught({ links: { web: signed(secret) } }).clean;

  it.each([
    ["a word that is a signature twice", `${secret}${secret}`],
    ["one that is a signature many times", secret.repeat(9)],
    ["a signature before a link", `${secret}//o.test/x?signature=abc`],
    [
      "a signature behind an escape in an encoded link",
      `u=${encodeURIComponent(`https://o.test/x?expires=1&a=`)}%61${secret.slice(1)}`,
    ],
  ])("%s", (_, written) => {
    const clean = cleanOf();
    const kept = clean(written);
    expect(clean(kept)).toBe(kept);
    expect(kept).not.toContain(secret);
  });

  it("whatever the text", () => {
    const clean = cleanOf();
    const piece = fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom(
        ...[secret, secret, secret.slice(1), "a", "%61", "%2561", "-", "//o.test/", "\\/\\/o.test"],
        ...[
          "https://o.test/x?",
          "https%3A%2F%2Fo.test%2Fx%3F",
          "/x?",
          "&",
          "&amp;",
          "%26",
          "\\u0026",
        ],
        ...[
          "expires=1",
          "signature=abcdefgh",
          "expires%3D1",
          "signature%3D",
          "[signature]",
          " ",
          '"',
        ],
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const kept = clean(pieces.join(""));
        expect(clean(kept)).toBe(kept);
      }),
      { numRuns: 5000 },
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, withoutSignatures } from "../../src/lib/secrets.ts";

const hosts = new Set(["o.test", "cdn.o.test"]);
const clean = (text: string): string => withoutSignatures(text, hosts);

const url = "https://o.test/api/v1/images/1.jpg";
const signed = `${url}?expires=1700000000&signature=0123456789abcdef`;
const encoded = encodeURIComponent;

describe("withoutSignatures", () => {
  it.each([
    ["first", `${url}?expires=9&thumb=1&signature=ab`, `${url}?thumb=1`],
    ["between others", `${url}?a=1&expires=9&signature=ab&b=2`, `${url}?a=1&b=2`],
    ["last", `${url}?a=1&signature=ab&expires=9`, `${url}?a=1`],
    ["alone", `${url}?signature=ab`, url],
    ["empty", `${url}?signature=&a=1`, `${url}?a=1`],
    ["in capitals", `${url}?EXPIRES=9&Signature=AB&a=1`, `${url}?a=1`],
    ["with signs of base64", `${url}?signature=a%2Bb/c+d==&a=1`, `${url}?a=1`],
    ["before a fragment", `${url}?expires=9&signature=ab#top`, `${url}#top`],
    ["with a date", `${url}?expires=2024-05-02T10:00:00%2B02:00&signature=ab`, url],
    ["of another host of the service", "https://cdn.o.test/1?signature=ab", "https://cdn.o.test/1"],
    ["with port, name and capitals", "http://u:p@O.test:81/1?expires=9", "http://u:p@O.test:81/1"],
    ["relative to the scheme", "//o.test/1.jpg?signature=ab", "//o.test/1.jpg"],
    ["behind doubled slashes", "https://o.test//a//1?signature=ab", "https://o.test//a//1"],
    ["behind brackets", "https://o.test/1(2).jpg?signature=ab", "https://o.test/1(2).jpg"],
    ["below the root", "/1.jpg?expires=9&w=3&signature=0123456789abcdef", "/1.jpg?w=3"],
    ["below the page", "images/1.jpg?expires=9&signature=0123456789abcdef", "images/1.jpg"],
    ["around another URL", `${url}?u=https://x.test/1&signature=ab`, `${url}?u=https://x.test/1`],
    ["in another URL", `https://x.test/?u=${signed}`, `https://x.test/?u=${url}`],
    [
      "percent-encoded in another URL",
      `https://x.test/?u=${encoded(`${url}?expires=9&w=3&signature=ab`)}&h=4`,
      `https://x.test/?u=${encoded(`${url}?w=3`)}&h=4`,
    ],
    [
      "percent-encoded twice",
      `https://x.test/${encoded(encoded(signed))}`,
      `https://x.test/${encoded(encoded(url))}`,
    ],
    [
      "percent-encoded three times",
      `https://x.test/${encoded(encoded(`https://y.test/?u=${encoded(signed)}`))}`,
      `https://x.test/${encoded(encoded(`https://y.test/?u=${encoded(url)}`))}`,
    ],
    [
      "percent-encoded without a scheme",
      `https://x.test/${encoded("//o.test:81/1?w=3&expires=9")}`,
      `https://x.test/${encoded("//o.test:81/1?w=3")}`,
    ],
  ])("cuts them %s", (_, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it.each([
    ["in a sentence", `See ${signed}. Then (${signed}), too.`, `See ${url}. Then (${url}), too.`],
    ["in an attribute", `<img src='${signed}' alt='a'>`, `<img src='${url}' alt='a'>`],
    [
      "with entities",
      `<a href="${url}?expires=9&amp;a=1&amp;signature=ab">`,
      `<a href="${url}?a=1">`,
    ],
    ["with numbers", `${url}?a=1&#38;expires=9&#38;b=2&#x26;signature=3`, `${url}?a=1&#38;b=2`],
    ["in HTML escaped twice", `${url}?a=1&amp;amp;signature=ab`, `${url}?a=1`],
    [
      "before an entity",
      `&lt;a href=&quot;${signed}&quot;&gt;`,
      `&lt;a href=&quot;${url}&quot;&gt;`,
    ],
    ["in a style", `a{b:url(${signed}) no-repeat}`, `a{b:url(${url}) no-repeat}`],
    ["in Markdown", `![a](${signed})`, `![a](${url})`],
    ["in a srcset", `${signed}&w=3 1x, ${signed} 2x`, `${url}?w=3 1x, ${url} 2x`],
    ["in a srcset without spaces", `${signed},${signed}`, `${url},${url}`],
    [
      "in a script",
      `{"u":"https:\\/\\/o.test\\/1.jpg?expires=9\\u0026a=1\\u0026signature=ab","v":1}`,
      `{"u":"https:\\/\\/o.test\\/1.jpg?a=1","v":1}`,
    ],
    [
      "below the root in an attribute",
      '<img src="/1.jpg?expires=9&amp;signature=0123456789abcdef">',
      '<img src="/1.jpg">',
    ],
    [
      "below the root in a style",
      "b:url(/1.jpg?expires=9&signature=0123456789abcdef)",
      "b:url(/1.jpg)",
    ],
  ])("cuts them %s", (_, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it.each([
    "https://shop.example/offer?expires=never&id=3",
    "https://shop.example/offer?expires=1700000000&signature=0123456789abcdef",
    `https://shop.example/?u=${encoded("https://other.example/?expires=9&signature=ab")}`,
    `https://shop.example/?next=${encoded("/offer?expires=1700000000&signature=0123456789abcdef")}`,
    "https://o.test.shop.example/?signature=ab",
    "https://shop.example/o.test/?signature=ab",
    `${url} https://shop.example/?expires=never&signature=ab`,
    `(${url}?a=1),(https://shop.example/?expires=never&signature=ab)`,
    "1px;expires=Thu",
    "f(x,&signature=y)",
    "Set-Cookie: a=1; expires=Thu, 01 Jan 1970",
    "append ?expires=…&signature=… to the URL",
    "either/or?expires=1&signature=0123456789abcdef in a sentence",
    `${url}?width=3&height=4&mysignature=1&expires_at=2`,
    `${url}/signature=ab`,
    "",
  ])("leaves as it is: %s", (text) => {
    expect(clean(text)).toBe(text);
  });

  const piece = fc.constantFrom(
    ..."?&;=#\"'<>()$[ %\\/-_.,:xé\n\u2003",
    ..."signature= expires= &amp; &quot; &#38; \\u0026 %3D %3F %26 https:// https%3A%2F%2F // shop.example".split(
      " ",
    ),
    "?expires=never&id=3",
    "https://shop.example/offer?expires=1700000000&signature=0123456789abcdef",
  );
  const others = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));

  it("leaves every text as it is that names no host of the service and no path", () => {
    fc.assert(
      fc.property(others, (text) => {
        fc.pre(!/(?:^|[^\w/.])\.{0,2}\/[^/]/.test(text) && /\s/.test(text));
        expect(clean(text)).toBe(text);
      }),
      { numRuns: 3000 },
    );
  });

  const parameter = fc.record({
    name: fc.constantFrom("expires", "signature", "Expires", "width", "a[]", "e", "signatures"),
    value: fc.stringMatching(/^[\w~%-]{0,24}$/),
  });

  it("leaves every other parameter of the service's URLs as it is written, in its order", () => {
    const separators = fc.constantFrom("&", "&amp;", "&#38;", "&#x26;", "&AMP;", "\\u0026");
    const around = fc.constantFrom(
      ...[
        ["", ""],
        ['<img src="', '">'],
        ["url(", ")"],
        ["url(&quot;", "&quot;)"],
        ["(", ")."],
      ],
      ...[
        ["text ", " text"],
        ['{\\"a\\":\\"', '\\"}'],
        ["<", ">"],
        ["?expires=never ", " &signature="],
      ],
    );
    fc.assert(
      fc.property(fc.array(parameter), separators, around, (all, separator, [before, behind]) => {
        const written = (list: typeof all): string => {
          const query = list.map(({ name, value }) => `${name}=${value}`).join(separator);
          return `${before}${url}${list.length === 0 ? "" : "?"}${query}${behind}`;
        };
        const kept = all.filter(({ name }) => !/^(?:expires|signature)$/i.test(name));
        expect(clean(written(all))).toBe(written(kept));
      }),
      { numRuns: 2000 },
    );
  });

  it("changes nothing in what it has cleaned, nor in its JSON", () => {
    const texts = fc.array(
      fc.oneof(piece, fc.constantFrom(signed, url, "o.test", encoded(signed))),
    );
    fc.assert(
      fc.property(texts, (pieces) => {
        const kept = clean(pieces.join(""));
        expect(clean(kept)).toBe(kept);
        expect(clean(JSON.stringify([kept]))).toBe(JSON.stringify([kept]));
      }),
      { numRuns: 3000 },
    );
  });
});

describe("printable", () => {
  it.each([
    ["https://user:pass@any.test/x?signature=a", "https://any.test/x"],
    [new URL("https://token@any.test/x?a=1&expires=2"), "https://any.test/x?a=1"],
    ["/articles?page=2", "/articles?page=2"],
    ["a https://any.test/?signature=ab, b ?signature=cd", "a https://any.test/, b "],
  ])("%s → %s", (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});

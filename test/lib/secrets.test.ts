import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, withoutSignatures } from "../../src/lib/secrets.ts";

const url = "https://o.test/api/v1/images/1.jpg";

describe("withoutSignatures", () => {
  it.each([
    ["first", `${url}?expires=9&thumb=1&signature=ab`, `${url}?thumb=1`],
    ["middle", `${url}?a=1&expires=9&signature=ab&b=2`, `${url}?a=1&b=2`],
    ["last", `${url}?a=1&signature=ab&expires=9`, `${url}?a=1`],
    ["alone", `${url}?expires=9&signature=ab`, url],
    ["one of them", `${url}?signature=ab`, url],
    ["upper case", `${url}?EXPIRES=9&Signature=AB&a=1`, `${url}?a=1`],
    ["&amp;", `${url}?expires=9&amp;thumb=1&amp;signature=ab`, `${url}?thumb=1`],
    ["&#38;", `${url}?a=1&#38;expires=9&#38;b=2`, `${url}?a=1&#38;b=2`],
    ["&#x26;", `${url}?a=1&#x26;signature=9`, `${url}?a=1`],
    ["fragment", `${url}?expires=9&signature=ab#top`, `${url}#top`],
    [
      "%26",
      `https://x.test/?u=https%3A%2F%2Fo.test%2F1.jpg%3Fwidth%3D3%26expires%3D9%26signature%3Dab`,
      `https://x.test/?u=https%3A%2F%2Fo.test%2F1.jpg%3Fwidth%3D3`,
    ],
    [
      "attribute",
      `<img src="${url}?expires=9&signature=ab" alt="a">`,
      `<img src="${url}" alt="a">`,
    ],
    [
      "single quotes",
      `<img src='${url}?expires=9&signature=ab' alt='a'>`,
      `<img src='${url}' alt='a'>`,
    ],
    [
      "entity quotes",
      `style=&quot;x:${url}?expires=9&signature=ab&quot;`,
      `style=&quot;x:${url}&quot;`,
    ],
    [
      "numeric quotes",
      `&#34;${url}?signature=ab&#34; &#x27;${url}?signature=ab&#x27;`,
      `&#34;${url}&#34; &#x27;${url}&#x27;`,
    ],
    ["escaped markup", `&lt;a href=${url}?expires=9&amp;signature=ab&gt;`, `&lt;a href=${url}&gt;`],
    [
      "css",
      `<p style="background:url(${url}?expires=9&signature=ab) no-repeat">`,
      `<p style="background:url(${url}) no-repeat">`,
    ],
    ["JSON in a string", `{"u":"${url}?expires=9&signature=ab","v":1}`, `{"u":"${url}","v":1}`],
    ["escaped JSON", `{\\"u\\":\\"${url}?expires=9&signature=ab\\"}`, `{\\"u\\":\\"${url}\\"}`],
    [
      "srcset",
      `${url}?width=3&expires=9&signature=ab 1x, ${url}?expires=9&width=6&signature=ab 2x`,
      `${url}?width=3 1x, ${url}?width=6 2x`,
    ],
    [
      "JSON in HTML",
      `{"u":"${url}?expires=9\\u0026a=1\\u0026signature=ab","v":1}`,
      `{"u":"${url}?a=1","v":1}`,
    ],
    ["Markdown", `![a](${url}?expires=9&signature=ab)`, `![a](${url})`],
    [
      "doubly encoded",
      "https://x.test/?u=https%253A%252F%252Fo.test%252F1.jpg%253Fexpires%253D9%2526w%253D3",
      "https://x.test/?u=https%253A%252F%252Fo.test%252F1.jpg%253Fw%253D3",
    ],
    [
      "escaped equals sign",
      `{"u":"${url}?expires\\u003d9\\u0026a\\u003d1"}`,
      `{"u":"${url}?a\\u003d1"}`,
    ],
    [
      "entities, then %",
      "https://x.test/?u=o.test%2F1.jpg%26%2363%3Bsignature%3Dab%26amp%3Bexpires%3D9%26amp%3Bw%3D3",
      "https://x.test/?u=o.test%2F1.jpg%26%2363%3Bw%3D3",
    ],
    ["entities for all, then %", "1.jpg%26%2363%3Bsignature%26%2361%3Bab", "1.jpg"],
    [
      "entities, then % twice",
      "1.jpg%2526quest%253Bexpires%2526equals%253B9%2526w",
      "1.jpg%2526quest%253Bw",
    ],
    [
      "&amp;, then %",
      "1.jpg%3Fw%3D3%26amp%3Bsignature%3Dab%26%2338%3Bh%3D4",
      "1.jpg%3Fw%3D3%26%2338%3Bh%3D4",
    ],
    ["quotes, then %", "%26quot%3B1.jpg%3Fsignature%3Dab%26quot%3B", "%26quot%3B1.jpg%26quot%3B"],
    [
      "%, then entities",
      "1.jpg&#37;3Fsignature&#37;3Dab&#x25;26w&#37;3D3",
      "1.jpg&#37;3Fw&#37;3D3",
    ],
    [
      "entities of entities",
      `${url}&amp;#63;signature&amp;#61;ab&amp;amp;w=3`,
      `${url}&amp;#63;w=3`,
    ],
    ["list, percent-encoded", "1.jpg%3Fsignature%5B%5D%3Dab%26w%3D3", "1.jpg%3Fw%3D3"],
    ["entities for all", `${url}&quest;expires&equals;9&amp;w=3`, `${url}&quest;w=3`],
    ["numeric entities", `${url}&#63;signature&#61;ab`, url],
    ["doubled entity", `${url}?a=1&amp;amp;signature=ab`, `${url}?a=1`],
    ["entity without its end", `${url}?a=1&ampsignature=ab`, `${url}?a=1`],
    ["semicolons", `${url}?a=1;signature=ab;b=2`, `${url}?a=1;b=2`],
    ["list", `${url}?signature[]=ab&a=1`, `${url}?a=1`],
    ["behind a fragment", `${url}#expires=9`, url],
    ["behind a fragment in a query", `${url}?a=#b&expires=9`, `${url}?a=#b`],
    ["behind quotes", `${url}?t='x'&signature=ab`, `${url}?t='x'`],
    [
      "list of sources without a space",
      `${url}?signature=ab, ${url}?signature=cd`,
      `${url}, ${url}`,
    ],
    ["torn and percent-encoded", "signature%3D7de54f39567137b71cc987fbc15735a5", ""],
    ["torn from its URL", "expires=1751371200&signature=7de54f39567137b71cc987fbc15735a5", ""],
    [
      "on a line of its own",
      `${url}?a=1&\nsignature=7de54f39567137b71cc987fbc15735a5`,
      `${url}?a=1&\n`,
    ],
    ["two URLs", `${url}?signature=a ${url}?signature=b`, `${url} ${url}`],
  ])("cuts them: %s", (_, text, expected) => {
    expect(withoutSignatures(text)).toBe(expected);
  });

  it.each([
    "no link at all",
    `${url}?width=3&height=4`,
    `${url}?width=3&amp;height=4`,
    "the offer expires=soon",
    "Set-Cookie: a=1, expires=Thu, 01 Jan 1970",
    "verify with openssl, signature=file.sig",
    "https://x.test/?q=what+is+a+signature",
    "https://x.test/signature?x=1",
    "https://x.test/?mysignature=1&nosignature=2",
    "",
  ])("leaves as it is: %s", (text) => {
    expect(withoutSignatures(text)).toBe(text);
  });

  const name = fc.constantFrom("expires", "signature", "Expires", "SIGNATURE");
  const value = fc.string({
    unit: fc.constantFrom(..."0123456789abcdefABCDEF-_.~%"),
    maxLength: 64,
  });
  const other = fc.constantFrom(
    "width=640",
    "height=2",
    "thumb=1",
    "orientation=p",
    "a[]=1",
    "q=a%20b",
    "e",
  );
  const parameter = fc.oneof(
    fc.tuple(name, value).map(([key, text]) => ({ secret: true, text: `${key}=${text}` })),
    other.map((text) => ({ secret: false, text })),
  );
  const wrapping = fc.constantFrom(
    ["", ""],
    ['<img src="', '">'],
    ["<img src='", "'>"],
    ["url(", ")"],
    ["url(&quot;", "&quot;)"],
    ["srcset=&#34;", " 2x&#34;"],
    ["text ", " text"],
    ["(", ")"],
    ["<", ">"],
    ['{\\"a\\":\\"', '\\"}'],
  );

  it("leaves none in any place and form, and every other parameter in its order", () => {
    fc.assert(
      fc.property(
        fc.array(parameter, { maxLength: 6 }),
        fc.constantFrom("&", "&amp;", "&#38;", "&#038;", "&#x26;", "&AMP;", "\\u0026"),
        wrapping,
        (parameters, separator, [before = "", after = ""]) => {
          const write = (list: { text: string }[]): string =>
            list.length === 0 ? "" : `?${list.map(({ text }) => text).join(separator)}`;
          const out = withoutSignatures(before + url + write(parameters) + after);
          expect(out).not.toMatch(/(?:[?&;]|u0026)(?:signature|expires)=/i);
          expect(out).toBe(
            before + url + write(parameters.filter(({ secret }) => !secret)) + after,
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("leaves none when links stand side by side", () => {
    const link = fc.tuple(fc.array(parameter, { minLength: 1, maxLength: 4 }), wrapping);
    fc.assert(
      fc.property(fc.array(link, { maxLength: 5 }), (links) => {
        const text = links.map(([parameters, [before = "", after = ""]]) => {
          return `${before}${url}?${parameters.map((one) => one.text).join("&amp;")}${after}`;
        });
        expect(withoutSignatures(text.join(" "))).not.toMatch(/[?&;](?:signature|expires)=/i);
      }),
    );
  });

  it("takes time in proportion to the text", () => {
    const started = performance.now();
    for (const piece of [
      "?",
      "&amp;",
      "?signature=",
      "%26expires%3D",
      "?a&",
      "%26amp%3B",
      "%26",
      "%25",
    ]) {
      withoutSignatures(`expires=${piece.repeat(100_000)}`);
    }
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("printable", () => {
  it.each([
    ["https://user:pass@o.test/x?signature=a", "https://o.test/x"],
    [new URL("https://token@o.test/x?a=1&expires=2"), "https://o.test/x?a=1"],
    ["/articles?page=2", "/articles?page=2"],
  ])("%s → %s", (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});

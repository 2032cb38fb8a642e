import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUnsigner } from "../../src/api/signatures.ts";
import {
  cutFileText,
  cutOriginText,
  matchText,
  mirrorUrls,
  type OriginHosts,
} from "../../src/compare/references.ts";

const hosts: OriginHosts = {
  base: new URL("https://api.example.org/v1"),
  isRequest: (url) => url.startsWith("https://api.example.org/v1/"),
  clean: createUnsigner({ baseUrl: "https://api.example.org/v1", allowHosts: ["cdn.example.org"] })
    .clean,
};
const urls = mirrorUrls(["http://127.0.0.1:8080", "https://archive.example.net/sub"]);
const match = (origin: string, mirror: string): string[] | undefined =>
  matchText(cutOriginText(origin, hosts), mirror, urls);

const api = "https://api.example.org/v1/articles/1";
const signed = "https://api.example.org/v1/images/1.jpg?expires=1&signature=ab";

describe("a text of the mirror", () => {
  it.each([
    ["a whole URL, relative", signed, "../images/1.jpg"],
    ["a whole URL, beside", signed, "./1.jpg"],
    ["a whole URL, from the root", signed, "/v1/images/1.jpg"],
    ["a whole URL at the mirror's host", signed, "http://127.0.0.1:8080/v1/images/1.jpg?width=3"],
    [
      "a whole URL at the public address",
      signed,
      "https://archive.example.net/sub/v1/images/1.jpg",
    ],
    ["one of a host that is allowed", "https://cdn.example.org/x", "./x"],
    ["a URL in a sentence", `See ${api}. Or not`, "See ../1.json. Or not"],
    ["one in HTML", `<a href="${api}">x</a>`, '<a href="../1.json">x</a>'],
    ["one with entities", `<img src="${signed.replace("&", "&amp;")}">`, '<img src="../1.jpg">'],
    ["one from the root in HTML", '<a href="/view/x">', '<a href="../x.html">'],
    ["several ones", `<img srcset="${api}?a 1x, ${api}?b 2x">`, '<img srcset="./a 1x, ./b 2x">'],
    ["an address of the origin that is no request", "https://api.example.org/view/1", "./1.html"],
    ["the same, as it is", "https://api.example.org/view/1", "https://api.example.org/view/1"],
    ["a foreign URL", "https://other.example.com/a", "https://other.example.com/a"],
    [
      "a foreign URL with a parameter of its own",
      "https://o.example.com/a?x=1&signature=0123456789abcdef0",
      "https://o.example.com/a?x=1&signature=0123456789abcdef0",
    ],
    [
      "a foreign URL around one that is no longer signed",
      `https://o.example.com/?u=${encodeURIComponent(signed)}`,
      "https://o.example.com/?u=https%3A%2F%2Fapi.example.org%2Fv1%2Fimages%2F1.jpg",
    ],
    ["no URL", "and/or ../up", "and/or ../up"],
  ])("may have %s", (_, origin, mirror) => {
    expect(match(origin, mirror)).toBeDefined();
  });

  it.each([
    ["nowhere", signed, "about:invalid"],
    ["nothing", signed, ""],
    ["the origin's URL", api, api],
    ["another host", api, "https://evil.example.com/v1/articles/1"],
    ["a host that only begins so", api, "http://127.0.0.1:80801/v1"],
    ["another text around it", `See ${api} now`, "See ../1.json then"],
    ["another foreign URL", "https://other.example.com/a", "https://other.example.com/b"],
    ["a URL for none", "text", "./text"],
    ["one URL too few", `${api} ${api}`, "./1"],
    ["more behind it", `<a href="${api}">`, '<a href="./1"></a>'],
  ])("must not have %s", (_, origin, mirror) => {
    expect(match(origin, mirror)).toBeUndefined();
  });

  it("gives the mirror's URLs in their order", () => {
    expect(match(`<a href="${api}">${api}</a>`, '<a href="./1">../2</a>')).toEqual(["./1", "../2"]);
  });

  it("is right whenever it is the origin's with its URLs replaced, whatever else it says", () => {
    const words = fc.stringMatching(/^[ \wé.,<>"'&;=/-]{0,20}$/);
    const place = fc.constantFrom("../x.json", "./y.jpg", "/v1/z", "http://127.0.0.1:8080/q?a=1");
    fc.assert(
      fc.property(fc.array(fc.tuple(words, place), { maxLength: 5 }), words, (parts, end) => {
        const wrap = (word: string, url: string): string => `${word} "${url}" `;
        const origin = parts.map(([word]) => wrap(word, api)).join("") + end;
        const mirror = parts.map(([word, url]) => wrap(word, url)).join("") + end;
        expect(match(origin, mirror)).toBeDefined();
        expect(match(origin, `${mirror}x`)).toBeUndefined();
      }),
    );
  });
});

describe("a text of an archive's file", () => {
  const live = mirrorUrls(["https://live.example.org"]);
  it.each([
    ["../1.json", "https://live.example.org/api/1.json"],
    ["/api/v1/x", "/api/v1/x"],
    ['<a href="./x.html">x</a>', '<a href="https://live.example.org/x.html">x</a>'],
    ["https://archive.example.net/1", "https://live.example.org/1"],
    ["plain and/or text", "plain and/or text"],
  ])("%s may be %s in the answer of a host", (file, answer) => {
    const cut = cutFileText(file, "https://archive.example.net");
    expect(matchText(cut, answer, live)).toBeDefined();
  });

  it("must not become another text", () => {
    expect(matchText(cutFileText("and/or", null), "and/either", live)).toBeUndefined();
    expect(matchText(cutFileText("../x", null), "about:invalid", live)).toBeUndefined();
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFindable, tokenCutter } from "../../src/lib/token.ts";
import { createLeakGuard } from "../../src/publish/leaks.ts";
import { spelled, tokens } from "../support/spelled.ts";

describe("tokenCutter", () => {
  it.each<[string, string, string]>([
    ["plainly", "secret-token", '{"you":"Bearer secret-token."}'],
    ["more than once", "secret-token", '["secret-token secret-token","secret-token"]'],
    ["as a member's name", "secret-token", '{"secret-token":1}'],
    ["with escaped slashes", "17|ab/cd+ef==", String.raw`{"you":"17|ab\/cd+ef=="}`],
    ["with escaped signs", "17|ab/cd+ef==", String.raw`{"you":"17\u007Cab/cd\u002bef\u003D="}`],
    ["behind an escaped backslash", "secret-token", String.raw`["\\secret-token"]`],
    ["encoded in a URL", "a+b/c=d-token", '{"view":"https://a.test/a%2bb%2fc%3dd-token"}'],
    ["behind an escaped line break", "secret-token", String.raw`["\nsecret-token"]`],
  ])("cuts a token out that stands there %s", (_name, token, text) => {
    const clean = tokenCutter(token)(text);
    expect(clean).toContain("[token]");
    expect(JSON.stringify(JSON.parse(clean))).not.toContain(token);
  });

  it.each<[string, string, string]>([
    ["other text", "secret-token", '{"you":"secret_token"}'],
    ["a token of less than 8 characters", "secret", '{"you":"secret"}'],
    ["a token that could be a number", "12345678", '{"id":12345678}'],
    ["a letter that belongs to an escape", "new-secret", String.raw`["\new-secret"]`],
  ])("leaves %s as it is", (_name, token, text) => {
    expect(tokenCutter(token)(text)).toBe(text);
  });

  it("leaves JSON that can be read, without the token, whatever stands around it", () => {
    const token = "7/aB+c-d=eF";
    const piece = fc.constantFrom(token, "\\", '"', "\n", "7", "/", "u002f", "x", "é", "=");
    fc.assert(
      fc.property(fc.array(fc.array(piece), { maxLength: 5 }), (strings) => {
        const value = strings.map((pieces) => pieces.join(""));
        const text = JSON.stringify(value).replaceAll("/", "\\/").replaceAll("=", "\\u003d");
        const expected = value.map((string) => string.replaceAll(token, "[token]"));
        expect(JSON.parse(tokenCutter(token)(text))).toEqual(expected);
      }),
    );
  });

  const members = fc.oneof(fc.constantFrom("id", "title", "__proto__", "a b"), fc.string());
  /** JSON with a place for a text at any depth, in values and in members' names. */
  const { holder } = fc.letrec<{ holder: (text: string) => unknown }>((tie) => {
    const inner = tie("holder");
    const one = (make: (text: string, inner: unknown) => unknown) =>
      inner.map((within) => (text: string) => make(text, within(text)));
    return {
      holder: fc.oneof(
        { maxDepth: 4 },
        fc.tuple(fc.string(), fc.string()).map(
          ([before, behind]) =>
            (text: string) =>
              `${before} ${text} ${behind}`,
        ),
        fc.tuple(fc.string(), fc.jsonValue()).map(([name, value]) => (text: string) => ({
          [`${name} ${text}`]: value,
        })),
        one((_, within) => [1.5, within, null]),
        one((text, within) => ({ [text]: within })),
        fc.tuple(members, inner, fc.jsonValue()).map(([name, within, value]) => (text: string) => ({
          other: value,
          [name]: within(text),
          last: true,
        })),
      ),
    };
  });
  const spaces = fc.constantFrom(0, 1, "\t");

  it("leaves nothing that the last look before publishing would refuse", () => {
    fc.assert(
      fc.property(tokens, holder, fc.nat(), spaces, (token, hold, seed, space) => {
        const ways = Object.values(spelled(token));
        const text = JSON.stringify(hold(ways[seed % ways.length] as string), null, space);
        const clean = tokenCutter(token)(text);
        expect(clean).not.toBe(text);
        const guard = createLeakGuard({
          tokens: [token],
          ids: new Set(),
          isUnshownBlob: () => false,
        });
        expect(() => guard.checkText("a.json", text)).toThrow("would contain the access token");
        expect(() => guard.checkText("a.json", clean)).not.toThrow();
        expect(() => guard.checkText("a.html", clean)).not.toThrow();
        expect(() => JSON.parse(clean)).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });

  it("leaves every byte of JSON without the token", () => {
    fc.assert(
      fc.property(tokens, fc.jsonValue(), holder, spaces, (token, value, hold, space) => {
        const parts = [value, hold("&quot;%41&amp;amp; \\u0041&#66;")];
        const text = JSON.stringify(parts, null, space).replaceAll("/", "\\/");
        fc.pre(!text.includes(token));
        expect(tokenCutter(token)(text)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it("is a matter of any text where there is no JSON", () => {
    expect(tokenCutter("secret/token")('{"a":"secret%2Ftoken')).toBe('{"a":"[token]');
  });
});

describe("isFindable", () => {
  it.each([
    ["secret", false],
    ["secrets1", true],
    ["12345678", false],
    ["1234567890123456", true],
  ])("%s → %s", (token, expected) => {
    expect(isFindable(token)).toBe(expected);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokenCutter } from "../../src/api/token.ts";

describe("tokenCutter", () => {
  it.each<[string, string, string]>([
    ["plainly", "secret-token", '{"you":"Bearer secret-token."}'],
    ["more than once", "secret-token", '["secret-token secret-token","secret-token"]'],
    ["as a member's name", "secret-token", '{"secret-token":1}'],
    ["with escaped slashes", "17|ab/cd+ef==", String.raw`{"you":"17|ab\/cd+ef=="}`],
    ["with escaped signs", "17|ab/cd+ef==", String.raw`{"you":"17\u007Cab/cd\u002bef\u003D="}`],
    ["with escaped letters", "secret-token", String.raw`{"you":"\u0073ecret-to\u006Ben"}`],
    ["behind an escaped backslash", "secret-token", String.raw`["\\secret-token"]`],
    ["encoded in a URL", "a+b/c=d-token", '{"view":"https://a.test/a%2Bb%2fc%3Dd-token"}'],
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
    ["text that shows how one is escaped", "secret-token", String.raw`["\\u0073ecret-token"]`],
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
});

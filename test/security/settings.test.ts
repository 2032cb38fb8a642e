// An author, with names of members and hosts of links that become comments and values of the configuration.
import fc from "fast-check";
import { type ParseError, parse } from "jsonc-parser";
import { expect, it } from "vitest";
import { configurationText, requireSettings } from "../../src/probe/configuration.ts";
import type { Finding } from "../../src/probe/survey.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        "\n",
        "\r",
        "\u2028",
        '"',
        "\\",
        "*/",
        "//",
        "{",
        "}",
        ",",
        ":",
        "a",
        "tokenEnv",
      ),
    )
    .map((parts) => parts.join("")),
);

const finding: fc.Arbitrary<Finding> = fc.record({
  subject: text,
  asked: text,
  came: text,
  means: text,
  certainty: fc.constantFrom("sure", "likely", "unknown", "missing"),
  setting: fc.record({
    path: fc.constantFrom(
      "origin.bodyField",
      "origin.paths.image",
      "origin.mediaLink",
      "origin.paths.audio",
    ),
    value: fc.option(text, { nil: undefined }),
  }),
});

it("the configuration that init writes says what is meant, whatever the origin answers", () => {
  fc.assert(
    fc.property(fc.uniqueArray(finding, { selector: (one) => one.setting?.path }), (findings) => {
      const errors: ParseError[] = [];
      const written = configurationText({ "origin.tokenEnv": "MEDIA_TOKEN" }, findings, {});
      const read = parse(written, errors, { allowTrailingComma: true });
      const meant: Record<string, unknown> = { tokenEnv: "MEDIA_TOKEN" };
      const paths: Record<string, unknown> = {};
      for (const { setting } of findings) {
        const [, name = "", inner] = setting?.path.split(".") ?? [];
        if (inner !== undefined) meant.paths = paths;
        if (setting?.value !== undefined) (inner ? paths : meant)[inner ?? name] = setting.value;
      }
      expect(errors).toEqual([]);
      // As JSON, because the parser's objects have no prototype.
      expect(JSON.parse(JSON.stringify(read))).toEqual({ origin: meant });
    }),
  );
});

it.each([
  '{ "origin": { "bodyField": "body", "tokenEnv": "AWS_SECRET_ACCESS_KEY" } }',
  '{ "origin": { "bodyField": "another" } }',
  '{ "origin": { "bodyField": "body" }, "__proto__": {} }',
  "{}",
])("%s is refused where only a body field was found", (written) => {
  const lines = [{ path: ["origin", "bodyField"], value: "body" }];
  expect(() => requireSettings('{ "origin": { "bodyField": "body" } }', lines)).not.toThrow();
  expect(() => requireSettings(written, lines)).toThrow("it was not written");
});

// An author, with the id of a private image in his article, spelled as JSON, HTML, URLs or UUIDs can spell it.
import fc from "fast-check";
import type { Element, Nodes } from "hast";
import { fromParse5 } from "hast-util-from-parse5";
import { parseFragment } from "parse5";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createIdFinder } from "../../src/catalogue/id-finder.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { createLeakGuard } from "../../src/publish/leaks.ts";
import { ids } from "../mirror/fixture.ts";
import { type Publishing, startPublishing } from "../publish/support.ts";

const id = "5f0c7d2e-8b1a-4c3d-9e2f-0123456789ab";
const nobody = "00000000-0000-0000-0000-000000000000";
const ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

const each = (text: string, write: (code: number) => string): string =>
  Array.from(text, (sign) => write(sign.charCodeAt(0))).join("");
const hex = (code: number): string => code.toString(16).padStart(2, "0");

/** How one character can be written: RFC 8259, HTML 5, RFC 3986, ECMAScript. */
const escapes: Record<string, (code: number) => string> = {
  json: (code) => `\\u00${hex(code)}`,
  "json in upper case": (code) => `\\u00${hex(code).toUpperCase()}`,
  script: (code) => `\\x${hex(code)}`,
  "script with braces": (code) => `\\u{${hex(code)}}`,
  "json in json": (code) => `\\\\u00${hex(code)}`,
  decimal: (code) => `&#${code};`,
  "decimal with zeros": (code) => `&#00${code};`,
  hexadecimal: (code) => `&#x${hex(code)};`,
  "hexadecimal in upper case": (code) => `&#X${hex(code).toUpperCase()};`,
  "html in html": (code) => `&amp;#${code};`,
  "html in html, numeric": (code) => `&#38;#${code};`,
  percent: (code) => `%${hex(code)}`,
  "percent in percent": (code) => `%25${hex(code)}`,
  "percent five times": (code) => `%25252525${hex(code)}`,
  "percent in html": (code) => `&#37;${hex(code)}`,
  "percent by name": (code) => `&percnt;${hex(code)}`,
  "html in percent": (code) => `%26%23${code}%3B`,
  "html in json": (code) => `\\u0026#${code};`,
  "percent in json": (code) => `\\u0025${hex(code)}`,
  "json in html": (code) => `&#92;u00${hex(code)}`,
  "json in percent": (code) => `%5Cu00${hex(code)}`,
};

const spellings: [string, string][] = [
  ["as it is", id],
  ["in capitals", id.toUpperCase()],
  ["without dashes", id.replaceAll("-", "")],
  ["without dashes, in capitals", id.replaceAll("-", "").toUpperCase()],
  ["as a URN in braces", `urn:uuid:{${id}}`],
  ["behind the beginning of another", `11111111-2222-4333-8444-5555${id}`],
  ["without dashes, in percent", each(id.replaceAll("-", ""), (code) => `%${hex(code)}`)],
  ["behind an escaped backslash", `\\\\${each(id, (code) => `\\u00${hex(code)}`)}`],
  ["decimal without a semicolon", `&#53${id.slice(1)}`],
  ...Object.entries(escapes).flatMap(([name, write]): [string, string][] => [
    [name, each(id, write)],
    [`first letter: ${name}`, write(id.charCodeAt(0)) + id.slice(1)],
    [`dashes: ${name}`, id.replaceAll("-", (sign) => write(sign.charCodeAt(0)))],
    [`another form: ${name}`, each(ulid, write)],
  ]),
];

const canaries = { tokens: [], ids: new Set([id, ulid, "5"]), isUnshownBlob: () => false };
const finder = createIdFinder(canaries.ids);
const guard = createLeakGuard(canaries);

describe("the id of a private image", () => {
  it.each(spellings)("is found and replaced %s", (_, spelled) => {
    const text = `{"a":"see ${spelled}."}`;
    expect(() => guard.checkText("a.json", text)).toThrow("the id of something that is not");
    const clean = guard.withoutIds(text);
    expect(clean).toContain(nobody);
    expect(clean.startsWith('{"a":"see ') && clean.endsWith('."}')).toBe(true);
    expect(() => guard.checkText("a.json", clean)).not.toThrow();
  });

  it("is found in the URL of an image where it is short", () => {
    const texts = ["im%61ges/5", "images%2F%35", "images\\u002F\\u0035", "images&#47;&#53;"];
    for (const text of texts) expect(finder.withoutIds(`x/${text}.jpg`)).toContain(nobody);
  });

  it("leaves everything else as it is, and JSON valid", () => {
    const value = `\\ " / \\u0035 &amp;#38; %2541 5f0c7d2e ${nobody}`;
    const text = JSON.stringify({ [value]: [value, `${value}\\${id}`] });
    const harmless = text.replace(id, "");
    expect(finder.withoutIds(harmless)).toBe(harmless);
    const clean = JSON.parse(finder.withoutIds(text.replace(id, each(id, escapes.json as never))));
    expect(clean).toEqual({ [value]: [value, `${value}\\${nobody}`] });
  });

  it("is not seen in digests and other long numbers that hold its digits", () => {
    const digits = id.replaceAll("-", "");
    const digest = `a${digits}${"0".repeat(31)}`;
    expect(finder.withoutIds(`/media/${digest}.pdf`)).toBe(`/media/${digest}.pdf`);
  });

  it.each([
    `images/%35%${id}`,
    `images/%35%25${id}`,
    `images/%2535%25${id}`,
    `images/\\u0035\\u00${id}`,
  ])("is found where the id behind it had hidden it: %s", (text) => {
    expect(() => guard.checkText("a.html", guard.withoutIds(text))).not.toThrow();
  });

  it("may be the nil UUID, which is no reason to publish nothing", () => {
    const odd = createLeakGuard({ ...canaries, ids: new Set([nobody]) });
    expect(() => odd.checkText("a.html", odd.withoutIds(`<p>${nobody}`))).not.toThrow();
  });

  /** Escapes, halves of escapes and of ids, one after the other. */
  const pieces = fc.constantFrom(
    ...[id, id.slice(0, 9), id.slice(9), id.replaceAll("-", ""), ulid, "images/", "5", "-", nobody],
    ...'\\ \\\\ % %25 & &amp; # ; u00 x 35 \\u0035 &#53; %35 %2535 &#37; %5C \\u005c { } " / 0'.split(
      " ",
    ),
  );
  it("is not refused where it was replaced, whatever stands beside it", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const clean = guard.withoutIds(parts.join(""));
        expect(() => guard.checkText("a.html", clean)).not.toThrow();
        expect(guard.withoutIds(clean)).toBe(clean);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(["\\", "%25", "&amp;", "&#", "&#0", "\\u{0", "5f0c7d2e-", "a", "%35", "images/", "&#x"])(
    "is looked for in time in proportion to the text, also among many of %s",
    (part) => {
      const fill = (length: number): string => part.repeat(length / part.length);
      const text = `${fill(300_000)} ${escapes.json?.(53)}${id.slice(1)}`;
      // If time grew with the square, this would take hours.
      expect(finder.withoutIds(text).endsWith(nobody)).toBe(true);
    },
  );
});

describe("a published article that spells it", () => {
  let archive: Publishing;
  beforeEach(() => {
    archive = startPublishing();
  });
  afterEach(() => archive.close());

  it("says it to no reader of JSON, HTML or URLs", async () => {
    const hidden = ids.privateImage;
    const written = Object.values(escapes).map((write) => each(hidden, write));
    const texts = [
      ...written,
      hidden.replaceAll("-", ""),
      `&${each(hidden, escapes.decimal as never)}`,
    ];
    const html = texts
      .map((text) => `<p title="${text}">${text} <a href="https://x.test/?i=${text}">x</a></p>`)
      .join("");
    archive.edit(`Title ${written.join(" ")}`, html);
    expect((await archive.build()).published).toBe(true);
    const root = `${archive.out}/public`;
    const naming = [...walkSorted(root)].filter((path) =>
      readings(archive.read(path)).some((text) => names(text, hidden)),
    );
    expect(naming).toEqual([]);
    expect((await archive.build()).published).toBe(false);
  });
});

function names(text: string, hidden: string): boolean {
  return [hidden, hidden.replaceAll("-", "")].some((form) => text.toLowerCase().includes(form));
}

/** A text as parsers of JSON, HTML and URLs understand it, one behind the other, up to three deep. */
function readings(text: string, depth = 3): string[] {
  if (depth === 0) return [text];
  const url = text.replace(/(?:%[0-7][\da-f])+/gi, (code) => decodeURIComponent(code));
  const html = stringsOf(fromParse5(parseFragment(text))).join("\n");
  const others = [...new Set([url, html, jsonOf(text)])].filter((one) => one !== text);
  return [text, ...others.flatMap((one) => readings(one, depth - 1))];
}

function jsonOf(text: string): string {
  const strings: string[] = [];
  try {
    JSON.parse(text, (name, value) => {
      strings.push(name, String(value));
      return value;
    });
    return strings.join("\n");
  } catch {
    // A string within another text.
    return text.replace(/\\u[\da-f]{4}/gi, (code) => JSON.parse(`"${code}"`));
  }
}

function stringsOf(node: Nodes): string[] {
  const attributes = Object.values((node as Element).properties ?? {}).map(String);
  const text = "value" in node ? [node.value] : [];
  return [...text, ...attributes, ...("children" in node ? node.children.flatMap(stringsOf) : [])];
}

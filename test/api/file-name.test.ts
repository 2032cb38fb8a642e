import { describe, expect, it } from "vitest";
import { fileNameOf } from "../../src/api/file-name.ts";

/** UTF-8 as the letters that a header has: one for each byte. */
const bytes = (text: string): string => Buffer.from(text).toString("latin1");

describe("the name in Content-Disposition", () => {
  it.each([
    // RFC 6266, section 5.
    ["Attachment; filename=example.html", "example.html"],
    ['INLINE; FILENAME= "an example.html"', "an example.html"],
    ["attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"],
    [`attachment; filename="EURO rates"; filename*=utf-8''%e2%82%ac%20rates`, "€ rates"],
    // RFC 8187, section 3.2.3, in the other charset that it names.
    ["attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"],
    // RFC 2616, 2.2: a quoted pair.
    ['attachment; filename="a \\"b\\" c.pdf"', 'a "b" c.pdf'],
    // What Chromium makes of names that no standard allows: net/http/http_content_disposition_unittest.cc.
    ["attachment; filename=foo bar.html", "foo bar.html"],
    ["attachment; filename=foo.html ;", "foo.html"],
    ['attachment; filename="foo-%41.html"', "foo-A.html"],
    [`attachment; filename="${bytes("foo-ä.html")}"`, "foo-ä.html"],
    ['attachment; filename="foo-\xe4.html"', "foo-\xe4.html"],
    [`attachment; filename="foo"; filename*=nonsense''%A3`, "foo"],
    [`attachment; filename="foo"; filename*=UTF-8''%80`, "foo"],
    ["attachment", undefined],
    ["inline; filename=", undefined],
    ['attachment; filename=""', undefined],
    ["", undefined],
    [undefined, undefined],
  ])("of %j is %j", (header, name) => {
    expect(fileNameOf({ "content-disposition": header }, (text) => text)).toBe(name);
  });

  it.each([
    ["the token", 'attachment; filename="report-s3cret-token.pdf"'],
    ["the token in escapes", "attachment; filename*=UTF-8''report-s3cret%2Dtoken.pdf"],
    ["a signature", 'attachment; filename="1.jpg?expires=9&signature=0123abcd"'],
  ])("is not kept with %s in it", (_, header) => {
    const clean = (text: string): string => text.replace("s3cret-token", "");
    expect(fileNameOf({ "content-disposition": header }, clean)).toBeUndefined();
  });
});

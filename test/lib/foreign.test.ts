import fc from "fast-check";
import { expect, it } from "vitest";
import { fileNameOf } from "../../src/api/file-name.ts";
import { fileName, namedFile } from "../../src/lib/foreign.ts";

it("names a file in a header so that it is read as it was, in ASCII, without another parameter", () => {
  expect(namedFile("a b.pdf")).toBe("filename=\"a b.pdf\"; filename*=UTF-8''a%20b.pdf");
  expect(namedFile("Jäger's 100 %.pdf")).toBe(
    "filename=\"J_ger's 100 _.pdf\"; filename*=UTF-8''J%C3%A4ger%27s%20100%20%25.pdf",
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
      const name = fileName(text);
      fc.pre(name !== "");
      const header = `attachment; ${namedFile(name)}`;
      expect(header).toMatch(
        /^attachment; filename="[ !#-$&-[\]-~]+"; filename\*=UTF-8''[\w.~!%-]+$/,
      );
      expect(fileNameOf({ "content-disposition": header }, (one) => one) ?? name).toBe(name);
    }),
  );
});

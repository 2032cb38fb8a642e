import { describe, expect, it } from "vitest";
import { saysPrivate } from "../../src/catalogue/visibility.ts";

describe("saysPrivate", () => {
  it.each<[object, boolean]>([
    [{ private: true }, true],
    [{ is_private: 1 }, true],
    [{ isPrivate: "1" }, true],
    [{ "Is-Private": "True" }, true],
    [{ PRIVATE: "yes" }, true],
    [{ _private: true }, true],
    [{ visibility: "private" }, true],
    [{ Privacy: "PRIVATE" }, true],
    [{ access: " private " }, true],
    [{ public: false }, true],
    [{ is_public: 0 }, true],
    [{ isPublic: "0" }, true],
    [{ public: "false" }, true],
    [{ IS_PUBLIC: "No" }, true],
    [{ private: false, visibility: "private" }, true],
    [{ public: true, private: true }, true],
    [{}, false],
    [{ private: false }, false],
    [{ private: null }, false],
    [{ private: "" }, false],
    [{ private: 2 }, false],
    [{ private: "unknown" }, false],
    [{ private: {} }, false],
    [{ private: [true] }, false],
    [{ private2: true, éprivate: true }, false],
    [{ is_private: "0" }, false],
    [{ public: true }, false],
    [{ public: null }, false],
    [{ public: "false?" }, false],
    [{ visibility: "public" }, false],
    [{ visibility: "privately shared" }, false],
    [{ visibility: true }, false],
    [{ access: ["private"] }, false],
    [{ private_note: true, was_private: true, publication: false }, false],
    [{ constructor: "private", toString: true }, false],
    [{ title: "private", meta: { private: "true", visibility: "private" } }, false],
  ])("%j: %s", (fields, says) => {
    expect(saysPrivate(JSON.stringify({ id: "1", ...fields }))).toBe(says);
    expect(saysPrivate(JSON.stringify({ id: "1", ...fields }, null, 2))).toBe(says);
  });

  it("reads a name whatever its escapes are", () => {
    expect(saysPrivate('{"id":"1","\\u0070rivate":true}')).toBe(true);
  });
});

import { describe, expect, it } from "vitest";
import { cached } from "../../src/lib/cached.ts";

describe("cached", () => {
  it("loads what it has not kept, and keeps what was used lately", () => {
    const loaded: string[] = [];
    const get = cached(2, (key) => {
      loaded.push(key);
      return key === "none" ? undefined : `<${key}>`;
    });
    expect(["a", "a", "b", "none", "none", "a"].map(get)).toEqual([
      "<a>",
      "<a>",
      "<b>",
      undefined,
      undefined,
      "<a>",
    ]);
    expect(loaded).toEqual(["a", "b", "none"]);
    for (const key of ["c", "d", "e", "f"]) get(key);
    get("b");
    expect(loaded.slice(3)).toEqual(["c", "d", "e", "f", "b"]);
  });
});

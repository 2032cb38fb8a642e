import { describe } from "vitest";
import { testDropIn } from "./drop-in.ts";

describe("the mirror of the odd origin with absolute links", () => {
  // Everything is answered by rewriting.
  testDropIn({
    personality: "odd",
    sections: { site: { url: "https://archive.example.org" } },
  });
});

import { describe } from "vitest";
import { testDropIn } from "./drop-in.ts";

describe("the mirror of the plain origin with relative links", () => {
  // Lists are answered by redirects to their files.
  testDropIn({ personality: "plain", share: 0.4 });
});

import { describe } from "vitest";
import { testDropIn } from "./drop-in.ts";

describe("the mirror of the plain origin with the API's own links", () => {
  testDropIn({ personality: "plain", sections: { mirror: { links: "api" } }, share: 0.2 });
});

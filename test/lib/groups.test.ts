import { describe, expect, it } from "vitest";
import { grouped } from "../../src/lib/groups.ts";

const failed = (id: string, status: number) => ({
  subject: `article ${id}`,
  reason: `GET /articles/${id}: ${status} after 5 attempts`,
});

describe("grouped", () => {
  it("makes one problem of those that only the item tells apart, the largest group first", () => {
    const problems = [failed("b-1", 502), ...[1, 2, 3, 4, 5].map((n) => failed(`a-${n}`, 500))];
    expect(grouped(problems)).toEqual([
      {
        subject: "article a-1, article a-2, article a-3, and 2 more",
        reason: "GET /articles/{id}: 500 after 5 attempts",
      },
      failed("b-1", 502),
    ]);
  });

  it("leaves up to three as they are", () => {
    const few = ["a-1", "a-2", "a-3"].map((id) => failed(id, 500));
    expect(grouped(few)).toEqual(few);
  });
});

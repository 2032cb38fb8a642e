import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Shape } from "../../src/mirror/shapes.ts";

const shapeOf = (values: readonly unknown[]): object => {
  const shape = new Shape();
  for (const value of values) shape.add(value);
  return shape.schema();
};

it("holds for every value that it was made from", () => {
  const ajv = new Ajv2020({ strict: false, ownProperties: true });
  addFormats.default(ajv);
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 6 }), (values) => {
      const schema = JSON.parse(JSON.stringify(shapeOf(values)));
      const check = ajv.compile(schema);
      for (const value of values) {
        check(value);
        expect(check.errors).toBe(null);
      }
    }),
  );
});

it("tells types, formats, what is always there, and counts what differs", () => {
  const uuid = "0b3c1a52-0f6e-4f0e-8c57-2f2c7a7a9f10";
  const values = [
    { id: uuid, at: "2026-01-02T03:04:05+01:00", size: 1, link: "https://a.test/x", note: null },
    { id: uuid, at: "2026-01-02T03:04:05.5Z", size: 1.5, link: "", note: "x", more: [1, "a"] },
  ];
  expect(shapeOf(values)).toEqual({
    type: "object",
    required: ["id", "at", "size", "link", "note"],
    properties: {
      id: { type: "string", format: "uuid" },
      at: { type: "string", format: "date-time" },
      size: { type: "number", "x-seen": { integer: 1, number: 1 } },
      link: { type: "string" },
      note: { type: ["null", "string"], "x-seen": { null: 1, string: 1 } },
      more: {
        type: "array",
        items: { type: ["integer", "string"], "x-seen": { integer: 1, string: 1 } },
        "x-seen": { array: 1, absent: 1 },
      },
    },
  });
});

it("takes hostile names, depths and numbers of members", () => {
  const named = shapeOf([JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":3}')]);
  expect(JSON.parse(JSON.stringify(named)).required).toEqual([
    "__proto__",
    "constructor",
    "toString",
  ]);
  expect(Object.keys(Object.getOwnPropertyDescriptors(Object(named).properties))).toContain(
    "__proto__",
  );
  const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`);
  expect(JSON.stringify(shapeOf([deep])).length).toBeLessThan(2_000);
  const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`m${n}`, n]));
  expect(shapeOf([wide])).toEqual({ type: "object" });
});

import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { StoreError } from "../../src/errors.ts";
import { readSealed, sealed, unseal, writeSealed } from "../../src/lib/sealed.ts";

const values = fc.dictionary(
  fc.string().filter((name) => name !== "sum" && name !== "__proto__"),
  fc.jsonValue(),
);

describe("a sealed document", () => {
  it("is JSON, a member a line, with its sum last", () => {
    const text = sealed({ b: 1, a: ["ü"] });
    expect(text.split("\n")).toEqual([
      "{",
      ' "b": 1,',
      ' "a": [',
      '  "ü"',
      " ],",
      expect.stringMatching(/^ "sum": "[0-9a-f]{64}"$/),
      "}",
      "",
    ]);
    expect(Object.keys(JSON.parse(text))).toEqual(["b", "a", "sum"]);
  });

  it("gives the value back, whatever it is", () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(unseal(sealed(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("shows every flipped bit, every byte that is gone, and every cut", () => {
    const whole = Buffer.from(
      sealed({ title: "Brücke", digest: "0".repeat(64), n: [1, null, {}] }),
    );
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const damaged = Buffer.from(whole);
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => unseal(damaged.toString()), `bit ${bit}`).toThrow(SyntaxError);
    }
    for (let at = 0; at < whole.length; at++) {
      const shorter = Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)]);
      expect(() => unseal(shorter.toString()), `without byte ${at}`).toThrow(SyntaxError);
      expect(() => unseal(whole.subarray(0, at).toString()), `cut at ${at}`).toThrow(SyntaxError);
    }
  });

  it("is not asked of one that was written before there were seals", () => {
    const old = { id: "x", sums: '"sum": "1"', lists: { parts: ["0".repeat(32)] } };
    expect(unseal(JSON.stringify(old))).toEqual(old);
    expect(unseal(`${JSON.stringify(old, null, 1)}\n`)).toEqual(old);
    expect(() => unseal("{")).toThrow(SyntaxError);
  });
});

it("lies in a file that is written only if it says something new, and is refused when it is damaged", () => {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-sealed-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "a.json");
  const read = () => readSealed(path, (value) => value);
  expect(read()).toBeUndefined();
  writeSealed(path, { a: 1 });
  const { ino } = statSync(path);
  writeSealed(path, { a: 1 });
  expect([read(), statSync(path).ino]).toEqual([{ a: 1 }, ino]);
  writeFileSync(path, sealed({ a: 1 }).replace("1", "2"));
  expect(read).toThrow(StoreError);
});

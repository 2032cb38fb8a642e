import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { tableOfHosts } from "./table.ts";

it("imports nothing of src/, whose answers it is to judge", () => {
  const reached = new Set<string>();
  const waiting = readdirSync(import.meta.dirname).map((name) => join(import.meta.dirname, name));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const imported = readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g);
    for (const [, target = ""] of imported) waiting.push(join(dirname(file), target));
  }
  const test = join(import.meta.dirname, "..");
  expect([...reached].filter((file) => !file.startsWith(test))).toEqual([]);
});

it("gives the table in docs/hosts.md (npx tsx test/contract/table.ts)", () => {
  const page = readFileSync(new URL("../../docs/hosts.md", import.meta.url), "utf8");
  const [, table] = /<!-- table of hosts -->\n\n(.*?)\n\n<!-- end of table -->/s.exec(page) ?? [];
  expect(table).toBe(tableOfHosts());
});

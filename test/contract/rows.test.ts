import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { tableOfHosts } from "./table.ts";

it("imports nothing of src/, whose answers it is to judge", () => {
  const folder = new URL(".", import.meta.url);
  const files = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
  const imported = files.flatMap((text) => [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)]);
  const targets = new Set(imported.map(([, target = ""]) => target));
  expect([...targets].filter((target) => target.startsWith("../"))).toEqual([
    "../support/web-servers.ts",
  ]);
  const support = readFileSync(new URL("../support/web-servers.ts", folder), "utf8");
  expect(support).not.toMatch(/"\.{1,2}\//);
});

it("gives the table in docs/hosts.md (npx tsx test/contract/table.ts)", () => {
  const page = readFileSync(new URL("../../docs/hosts.md", import.meta.url), "utf8");
  const [, table] = /<!-- table of hosts -->\n\n(.*?)\n\n<!-- end of table -->/s.exec(page) ?? [];
  expect(table).toBe(tableOfHosts());
});

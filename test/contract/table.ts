/** Prints the table of docs/hosts.md: npx tsx test/contract/table.ts */
import { pathToFileURL } from "node:url";
import { differenceOf, type Host, hosts, type Row } from "./row.ts";
import { kinds } from "./rows.ts";

/** What each host can do, as Markdown: a tick where every row holds as the document says it. */
export function tableOfHosts(): string {
  // Hosts that do the same share a column.
  const columns = new Map<string, { head: string; cells: string[] }>();
  for (const host of hosts.filter((one) => one !== "origin")) {
    const cells = kinds.map(({ rows }) => cellOf(rows, host));
    const same = columns.get(cells.join());
    const head = same ? `${same.head}, \`${host}\`` : `\`${host}\``;
    columns.set(cells.join(), { head, cells });
  }
  const first = kinds.map(({ kind, rows }) => `${kind} (${rows.length})`);
  const all = [{ head: "Requests", cells: first }, ...columns.values()];
  const lines = [
    all.map(({ head }) => head),
    all.map(() => "---"),
    ...kinds.map((_, at) => all.map(({ cells }) => cells[at] ?? "")),
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function cellOf(rows: readonly Row[], host: Host): string {
  const words = rows.flatMap((row) => differenceOf(row, host)?.word ?? []);
  return words.length === 0 ? "✓" : [...new Set(words)].join(", ");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.stdout.write(`${tableOfHosts()}\n`);
}

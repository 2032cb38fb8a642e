import { type Change, changesBetween } from "../changes/changes.ts";
import {
  type ChangeCounts,
  count,
  countsText,
  linesOf,
  markdownStyle,
  textStyle,
} from "../changes/print.ts";
import { ConfigSchema } from "../config.ts";
import { type ExitCode, exitCodes } from "../errors.ts";
import { outputPaths } from "../publish/swap.ts";
import { olderFirst } from "../store/snapshots.ts";
import { withStore } from "../store/store.ts";
import { outputFolder, shortPath } from "./folder.ts";
import type { CommonOptions } from "./options.ts";
import { print, printJson } from "./print.ts";
import { idsIn, snapshotNamed } from "./snapshots.ts";

type DiffCommand = CommonOptions & { markdown: boolean };

/** `stillpress diff [a] [b]`: tells what changed between two snapshots. */
export async function runDiff(
  a: string | undefined,
  b: string | undefined,
  options: DiffCommand,
): Promise<ExitCode> {
  const { out, loaded } = outputFolder(options);
  const { store: folder, public: root } = outputPaths(out);
  const ids = idsIn(out);
  const last = snapshotNamed(b ?? "latest", ids, out);
  const isOnly = a === undefined && last === ids[0];
  const other = isOnly ? last : snapshotNamed(a ?? "latest~1", ids, out);
  const [from, to] = [other, last].sort(olderFirst) as [string, string];
  return await withStore(folder, { readOnly: true }, async (store) => {
    const { media, snapshots, reader } = store;
    const [before, after] = [reader(snapshots.load(from)), reader(snapshots.load(to))];
    const origin = { baseUrl: after.manifest.origin };
    const config = loaded?.config ?? ConfigSchema.parse({ origin });
    const changes = changesBetween({ before, after, media, config, root });
    const base = config.site.url ?? (options.markdown ? "public" : shortPath(root));
    printChanges(changes, { before: isOnly ? null : from, after: to }, { ...options, base });
    return exitCodes.complete;
  });
}

/** Prints each change as it is found; JSON is printed at the end. */
function printChanges(
  changes: Iterable<Change>,
  { before, after }: { before: string | null; after: string },
  { json, markdown, color, base }: DiffCommand & { base: string },
): void {
  const counts: ChangeCounts = {};
  const items: Change[] = [];
  const isColored = color && process.stdout.isTTY === true && !process.env.NO_COLOR;
  const style = markdown ? markdownStyle : textStyle(isColored);
  const write = (lines: Parameters<typeof print>[0]): void => print(json ? [] : lines);
  const first = `${after} is the first snapshot, with nothing before it`;
  const title = before ? `${before} → ${after}` : first;
  const { write: line } = style;
  write([markdown ? line`# ${title}` : title]);
  let kind: Change["kind"] | undefined;
  for (const change of changes) {
    count(counts, change);
    if (json) items.push(change);
    if (change.kind !== kind)
      write(["", ...(markdown ? [line`## ${change.kind}`, ""] : [change.kind])]);
    kind = change.kind;
    write(linesOf(change, style, base));
  }
  write(["", countsText(counts)]);
  if (json) printJson({ exitCode: exitCodes.complete, before, after, counts, items });
}

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
import { ConfigError, type ExitCode, exitCodes } from "../errors.ts";
import { listBuilds } from "../publish/rollback.ts";
import { outputPaths } from "../publish/swap.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { olderFirst, snapshotIds } from "../store/snapshots.ts";
import { openStore } from "../store/store.ts";
import { outputFolder, shortPath } from "./folder.ts";
import { type CommonOptions, printJson } from "./options.ts";

interface DiffCommand extends CommonOptions {
  markdown: boolean;
}

/** `stillpress diff [a] [b]`: tells what changed between two snapshots. */
export async function runDiff(
  a: string | undefined,
  b: string | undefined,
  options: DiffCommand,
): Promise<ExitCode> {
  const { out, loaded } = outputFolder(options);
  const { store: folder, public: root } = outputPaths(out);
  const ids = snapshotIds(folder);
  if (ids.length === 0) {
    const hint = 'run "stillpress snapshot" first';
    throw new ConfigError(`${shortPath(folder)}: there is no snapshot yet`, { hint });
  }
  const last = snapshotNamed(b ?? "latest", ids, out);
  const isOnly = a === undefined && last === ids[0];
  const pair = [isOnly ? last : snapshotNamed(a ?? "latest~1", ids, out), last].sort(olderFirst);
  const store = openStore(folder, { readOnly: true });
  try {
    const { media, snapshots, reader } = store;
    const [before, after] = pair.map((id) => reader(snapshots.load(id))) as Pair;
    const origin = { baseUrl: after.manifest.origin };
    const config = loaded?.config ?? ConfigSchema.parse({ origin });
    const changes = changesBetween({ before, after, media, config, root });
    const base = config.site.url ?? (options.markdown ? "public" : shortPath(root));
    print(
      changes,
      { before: isOnly ? null : before.manifest.id, after: after.manifest.id },
      { ...options, base },
    );
    return exitCodes.complete;
  } finally {
    store.close();
  }
}

type Pair = [SnapshotReader, SnapshotReader];

/** Id of the snapshot that a name means: an id or the start of one, `latest`, `published`, `latest~1`. */
function snapshotNamed(name: string, ids: readonly string[], out: string): string {
  const [, word, back = "0"] = /^(latest|published)(?:~(\d+))?$/.exec(name) ?? [];
  const shown = word === "published" ? publishedSnapshot(out) : ids.at(-1);
  const start = name.replaceAll(":", "-");
  const found = word
    ? [ids[ids.indexOf(shown ?? "") - Number(back)]].filter((id) => id !== undefined)
    : ids.filter((id) => id === start || (!ids.includes(start) && id.startsWith(start)));
  const [id] = found;
  if (id !== undefined && found.length === 1) return id;
  const what = found.length > 1 ? "several snapshots are called" : "there is no snapshot";
  const listed = (found.length > 1 ? found : ids).slice(-20);
  throw new ConfigError(`${what} ${name}`, { hint: `the snapshots are ${listed.join(", ")}` });
}

function publishedSnapshot(out: string): string | undefined {
  return listBuilds(out).find(({ state }) => state === "published")?.snapshot ?? undefined;
}

/** Prints each change as it is found; JSON is printed at the end. */
function print(
  changes: Iterable<Change>,
  ids: { before: string | null; after: string },
  { json, markdown, color, base }: DiffCommand & { base: string },
): void {
  const counts: ChangeCounts = {};
  const items: Change[] = [];
  const isColored = color && process.stdout.isTTY === true && !process.env.NO_COLOR;
  const style = markdown ? markdownStyle : textStyle(isColored);
  const write = (text: string): unknown => json || process.stdout.write(`${text}\n`);
  const { before, after } = ids;
  const title = before
    ? `${before} → ${after}`
    : `${after} is the first snapshot, with nothing before it`;
  write(markdown ? `# ${title}` : title);
  let kind: Change["kind"] | undefined;
  for (const change of changes) {
    count(counts, change);
    if (json) items.push(change);
    if (change.kind !== kind) write(markdown ? `\n## ${change.kind}\n` : `\n${change.kind}`);
    kind = change.kind;
    write(linesOf(change, style, base).join("\n"));
  }
  write(`\n${countsText(counts)}`);
  if (json) printJson({ exitCode: exitCodes.complete, ...ids, counts, items });
}

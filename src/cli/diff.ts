import { existsSync } from "node:fs";
import type { Change } from "../changes/changes.ts";
import { compareSnapshots } from "../changes/compare.ts";
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
import { snapshotIds } from "../store/snapshots.ts";
import { openStore, type Store } from "../store/store.ts";
import { outputFolder, shortPath } from "./folder.ts";
import type { CommonOptions } from "./options.ts";

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
  const { store: folder } = outputPaths(out);
  const store = existsSync(folder) ? openStore(folder, { readOnly: true }) : undefined;
  try {
    const ids = snapshotIds(folder);
    if (store === undefined || ids.length === 0) {
      const hint = 'run "stillpress snapshot" first';
      throw new ConfigError(`${shortPath(folder)}: there is no snapshot yet`, { hint });
    }
    const to = snapshotNamed(b ?? "latest", ids, out);
    const isFirst = a === undefined && to === ids[0];
    const from = isFirst ? undefined : snapshotNamed(a ?? "latest~1", ids, out);
    diffStored(store, { out, from, to, loaded }, options);
    return exitCodes.complete;
  } finally {
    store?.close();
  }
}

interface Compared {
  out: string;
  /** Undefined where there is only one snapshot. */
  from: string | undefined;
  to: string;
  loaded: ReturnType<typeof outputFolder>["loaded"];
}

function diffStored(store: Store, { out, from, to, loaded }: Compared, options: DiffCommand) {
  const { public: root } = outputPaths(out);
  const { snapshots, media, reader } = store;
  const after = reader(snapshots.load(to));
  const config =
    loaded?.config ?? ConfigSchema.parse({ origin: { baseUrl: after.manifest.origin } });
  const before = from === undefined ? undefined : reader(snapshots.load(from));
  const changes = before && compareSnapshots({ before, after, media, config, root });
  const place = options.markdown ? "public" : shortPath(root);
  const printer = printerOf(options, config.site.url ?? place);
  const counts: ChangeCounts = {};
  printer.begin(from ?? null, to);
  for (const change of changes ?? []) {
    count(counts, change);
    printer.change(change);
  }
  printer.end(counts);
}

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

/** Prints each change as it is found, so that none is kept. */
function printerOf({ json, markdown, color }: DiffCommand, base: string) {
  const write = (text: string): void => void process.stdout.write(text);
  let kind: Change["kind"] | undefined;
  if (json) {
    return {
      begin: (before: string | null, after: string): void =>
        write(`${JSON.stringify({ exitCode: 0, before, after }).slice(0, -1)},"items":[`),
      change(change: Change): void {
        write((kind === undefined ? "" : ",") + JSON.stringify(change));
        kind = change.kind;
      },
      end: (counts: ChangeCounts): void => write(`],"counts":${JSON.stringify(counts)}}\n`),
    };
  }
  const colored = color && process.stdout.isTTY === true && !process.env.NO_COLOR;
  const style = markdown ? markdownStyle : textStyle(colored);
  return {
    begin: (before: string | null, after: string): void =>
      write(
        `${markdown ? "# " : ""}${before === null ? `${after} is the first snapshot: there is nothing to compare it with` : `${before} → ${after}`}\n`,
      ),
    change(change: Change): void {
      if (change.kind !== kind) write(markdown ? `\n## ${change.kind}\n\n` : `\n${change.kind}\n`);
      kind = change.kind;
      write(`${linesOf(change, style, base).join("\n")}\n`);
    },
    end: (counts: ChangeCounts): void => write(`\n${countsText(counts)}\n`),
  };
}

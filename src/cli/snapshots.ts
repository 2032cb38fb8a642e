import { ConfigError, type ExitCode, exitCodes, readable } from "../errors.ts";
import { listBuilds } from "../publish/rollback.ts";
import { outputPaths } from "../publish/swap.ts";
import { snapshotIds } from "../store/snapshots.ts";
import { withStore } from "../store/store.ts";
import { outputFolder, shortPath } from "./folder.ts";
import type { CommonOptions } from "./options.ts";
import { print, printJson } from "./print.ts";
import { contentLine } from "./summary.ts";

/** `stillpress snapshots`: lists the snapshots of the store, the newest first. */
export async function runSnapshots(options: CommonOptions): Promise<ExitCode> {
  const { out } = outputFolder(options);
  const ids = idsIn(out);
  const builds = listBuilds(out);
  return await withStore(outputPaths(out).store, { readOnly: true }, async (store) => {
    const rows = ids.toReversed().map((id) => {
      const manifest = readable(() => store.snapshots.load(id));
      const lists = Object.entries(manifest?.lists ?? {});
      return {
        id,
        time: manifest?.time ?? null,
        complete: manifest?.complete ?? null,
        counts: Object.fromEntries(lists.map(([name, { count }]) => [name, count])),
        builds: builds.flatMap(({ name, state, snapshot }) =>
          snapshot === id ? [{ name, state }] : [],
        ),
      };
    });
    if (options.json) printJson({ exitCode: exitCodes.complete, snapshots: rows });
    else {
      print(
        rows.map(({ id, complete, counts, builds }) => {
          const state = complete ? "complete" : complete === null ? "DAMAGED" : "INCOMPLETE";
          const isShown = builds.some((build) => build.state === "published");
          const columns = [id, state.padEnd(10), (isShown ? "published" : "").padEnd(9)];
          return [...columns, contentLine(counts)].join("  ").trimEnd();
        }),
      );
    }
    return exitCodes.complete;
  });
}

/** Ids of the snapshots of an output folder, the oldest first. @throws ConfigError where there is none */
export function idsIn(out: string): string[] {
  const folder = outputPaths(out).store;
  const ids = snapshotIds(folder);
  if (ids.length > 0) return ids;
  const hint = 'run "stillpress snapshot" first';
  throw new ConfigError(`${shortPath(folder)}: there is no snapshot yet`, { hint });
}

/** Id of the snapshot that a name means: an id or the start of one, `latest`, `published`, `latest~1`. */
export function snapshotNamed(name: string, ids: readonly string[], out: string): string {
  const [, word, back = "0"] = /^(latest|published)(?:~(\d+))?$/.exec(name) ?? [];
  const builds = word === "published" ? listBuilds(out) : [];
  const shown = builds.find(({ state }) => state === "published")?.snapshot;
  const newest = word === "published" ? ids.indexOf(shown ?? "") : ids.length - 1;
  const start = word ? (ids[newest - Number(back)] ?? name) : name.replaceAll(":", "-");
  const found = ids.includes(start) ? [start] : ids.filter((id) => id.startsWith(start));
  const [id] = found;
  if (id !== undefined && found.length === 1) return id;
  const what = found.length > 1 ? "several snapshots are called" : "there is no snapshot";
  const listed = (found.length > 1 ? found : ids).slice(-20);
  throw new ConfigError(`${what} ${name}`, { hint: `the snapshots are ${listed.join(", ")}` });
}

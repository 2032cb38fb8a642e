import { knownTokens } from "../config/load.ts";
import { Publish } from "../config/publish.ts";
import { exitCodes } from "../errors.ts";
import { fileSha256 } from "../lib/digest.ts";
import { plural } from "../lib/words.ts";
import { listBuilds, rollBack } from "../publish/rollback.ts";
import { outputPaths } from "../publish/swap.ts";
import { layDesk } from "../review/desk.ts";
import { clearDesk } from "../review/folder.ts";
import { withStore } from "../store/store.ts";
import { showFiles } from "../upload/show.ts";
import { outputFolder } from "./folder.ts";
import { type CommonOptions, clock } from "./options.ts";
import { print, printJson, tellDone } from "./print.ts";
import { underLock } from "./under-lock.ts";

/** `stillpress rollback [build]`: publishes an older build again. */
export async function runRollback(
  name: string | undefined,
  options: CommonOptions & { list: boolean; full: boolean },
) {
  const { list, full, json, quiet } = options;
  const exitCode = exitCodes.complete;
  const { out, loaded } = outputFolder(options);
  if (list) {
    const builds = listBuilds(out);
    if (json) printJson({ exitCode, builds });
    else showBuilds(builds, quiet);
    return exitCode;
  }
  const { from, to } = await underLock(out, options, async ({ reporter }) => {
    const progress = reporter.stage("checking");
    const digestOf = full ? fileSha256 : undefined;
    const onFile = () => progress.advance();
    const press =
      loaded && (() => ({ ...loaded, secrets: knownTokens(loaded.config.origin), reporter }));
    const done = await rollBack(out, { name, onFile, digestOf, press, now: clock });
    progress.end();
    const { keepDeleted } = loaded?.config.publish ?? Publish.parse({});
    const { signal } = new AbortController();
    await showFiles({ out, keepDeleted, check: false, reporter, now: clock, signal });
    if (press === undefined) clearDesk(out);
    else {
      const { store } = outputPaths(out);
      await withStore(store, {}, (store) => layDesk({ ...press(), store }));
    }
    return done;
  });
  return tellDone(options, { from, to }, [
    `${to} is published; before it was ${from ?? "nothing"}`,
  ]);
}

function showBuilds(builds: ReturnType<typeof listBuilds>, quiet: boolean): void {
  const lines = builds.map(({ name, state, time, snapshot, files }) => {
    const what = files === null ? "no record" : plural(files, "file");
    return `${name}  ${state.padEnd(9)}  ${time}  ${snapshot ?? "–"}  ${what}`;
  });
  print(lines.length === 0 && !quiet ? ["there are no builds"] : lines);
}

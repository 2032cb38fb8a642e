import { loadConfig } from "../config/load.ts";
import { plural } from "../lib/words.ts";
import { previewHandler } from "../preview/handler.ts";
import { OpenPages } from "../preview/open-pages.ts";
import { Preview } from "../preview/preview.ts";
import { watchPreview } from "../preview/watch.ts";
import { type LocalArchive, localArchive } from "../serve/server.ts";
import { type CommonOptions, reporterOf } from "./options.ts";

/**
 * `stillpress serve --watch`: answers with pages that are rendered now, and tells of each change until it is aborted.
 *
 * @throws StillpressError where the pages cannot be rendered from the beginning
 */
export async function startWatch(options: CommonOptions, archive: LocalArchive & { out: string }) {
  const { config: configFile, out: flag } = options;
  const { out, root } = archive;
  const load = () => loadConfig({ file: configFile, flags: { out: flag } });
  const preview = new Preview({ out, root, configFile, load });
  await preview.refresh();
  if (preview.failure !== undefined) throw preview.failure;
  const pages = new OpenPages();
  const version = (): string => preview.version();
  pages.show(version());
  const reporter = reporterOf(options);
  let told = "";
  const tellFailure = (error: { message: string; hint?: string | undefined }): void => {
    // A page that is loaded again fails again.
    const failure = version() + error.message;
    if (failure !== told) reporter.error(error);
    told = failure;
  };

  async function onChange(names: string[]): Promise<void> {
    const started = performance.now();
    const before = version();
    const count = pages.count;
    await preview.refresh();
    pages.show(version());
    const isSame = version() === before;
    const ms = Math.round(performance.now() - started);
    const effect = isSame ? "no page changes" : `${plural(count, "page")} open, ${ms} ms`;
    reporter.info(`${new Date().toTimeString().slice(0, 8)} ${listed(names)}, ${effect}`);
    if (preview.failure !== undefined) tellFailure(preview.failure);
  }

  const { handler: answer, close } = localArchive({ ...archive, files: preview });
  return {
    close,
    handler: previewHandler({ answer, pages, version, onFailure: tellFailure }),
    async watch(signal: AbortSignal) {
      await watchPreview(preview, onChange, signal);
      preview.close();
      reporter.close();
    },
  };
}

/** listed(["a.eta", "b.eta", "c.eta"]) → "a.eta and 2 more" */
function listed([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

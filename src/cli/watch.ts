import { loadConfig } from "../config/load.ts";
import { previewHandler } from "../preview/handler.ts";
import { OpenPages } from "../preview/open-pages.ts";
import { Preview } from "../preview/preview.ts";
import { watchPreview } from "../preview/watch.ts";
import type { Handler } from "../serve/handler.ts";
import { type LocalArchive, localHandler } from "../serve/server.ts";
import { type CommonOptions, reporterOf } from "./options.ts";

/**
 * `stillpress serve --watch`: answers with pages that are rendered now, and tells of each change until it is aborted.
 *
 * @throws StillpressError where the pages cannot be rendered from the beginning
 */
export async function startWatch(
  options: CommonOptions,
  archive: LocalArchive & { out: string },
): Promise<{ handler: Handler; watch: (signal: AbortSignal) => Promise<void> }> {
  const { config: configFile, out: flag } = options;
  const { out, root } = archive;
  const load = () => loadConfig({ file: configFile, flags: { out: flag } });
  const preview = new Preview({ out, root, configFile, load });
  await preview.refresh();
  if (preview.failure !== undefined) throw preview.failure;
  const pages = new OpenPages();
  pages.show(preview.version());
  const reporter = reporterOf(options);
  let told = "";
  const tellFailure = (error: { message: string; hint?: string | undefined }): void => {
    // A page that is loaded again fails again.
    const failure = preview.version() + error.message;
    if (failure !== told) reporter.error(error);
    told = failure;
  };

  async function onChange(names: string[]): Promise<void> {
    const started = performance.now();
    const before = preview.version();
    const count = pages.count;
    await preview.refresh();
    pages.show(preview.version());
    const isSame = preview.version() === before;
    const ms = Math.round(performance.now() - started);
    const open = count === 1 ? "1 page open" : `${count} pages open`;
    const effect = isSame ? "no page changes" : `${open}, ${ms} ms`;
    reporter.info(`${new Date().toTimeString().slice(0, 8)} ${listed(names)}, ${effect}`);
    if (preview.failure !== undefined) tellFailure(preview.failure);
  }

  return {
    handler: previewHandler({
      answer: localHandler({ ...archive, files: preview }),
      pages,
      version: () => preview.version(),
      onFailure: tellFailure,
    }),
    async watch(signal) {
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

import { readToken } from "../config/load.ts";
import { type ExitCode, exitCodes } from "../errors.ts";
import { publishedSettings } from "../publish/record.ts";
import { outputPaths } from "../publish/swap.ts";
import { rulesOf } from "../routes/rules.ts";
import { listen, localArchive } from "../serve/server.ts";
import { outputFolder } from "./folder.ts";
import { keptSecret } from "./masked.ts";
import type { CommonOptions } from "./options.ts";
import { print, printJson } from "./print.ts";
import { abortOnSignals, untilAborted } from "./signals.ts";

/** `stillpress serve`: shows what is published, until it is interrupted. */
export async function runServe(
  options: CommonOptions & { port: number; host: string[]; auth: boolean; watch: boolean },
): Promise<ExitCode> {
  const { out } = outputFolder(options);
  const settings = publishedSettings(out);
  const archive = {
    publicRoot: outputPaths(out).public,
    root: rulesOf(settings).root,
    token: options.auth ? keptSecret(readToken(settings.origin)) : undefined,
  };
  const { handler, watch, close } = options.watch
    ? await (await import("./watch.ts")).startWatch(options, { ...archive, out })
    : { ...localArchive(archive), watch: untilAborted };
  const [host, ...names] = options.host;
  const server = await listen(handler, { port: options.port, host, names });
  try {
    if (options.json) printJson({ url: server.url });
    else print([server.url]);
    await watch(abortOnSignals());
  } finally {
    await server.close();
    await close();
  }
  return exitCodes.complete;
}

import { readToken } from "../config/load.ts";
import { type ExitCode, exitCodes } from "../errors.ts";
import { publishedSettings } from "../publish/record.ts";
import { outputPaths } from "../publish/swap.ts";
import { rulesOf } from "../routes/rules.ts";
import { listen, localHandler } from "../serve/server.ts";
import { outputFolder } from "./folder.ts";
import { keptSecret } from "./masked.ts";
import type { CommonOptions } from "./options.ts";
import { abortOnSignals, untilAborted } from "./signals.ts";

/** `stillpress serve`: shows what is published, until it is interrupted. */
export async function runServe(
  options: CommonOptions & { port: number; host: string; auth: boolean; watch: boolean },
): Promise<ExitCode> {
  const { out } = outputFolder(options);
  const settings = publishedSettings(out);
  const archive = {
    publicRoot: outputPaths(out).public,
    root: rulesOf(settings).root,
    token: options.auth ? keptSecret(readToken(settings.origin)) : undefined,
  };
  const { handler, watch } = options.watch
    ? await (await import("./watch.ts")).startWatch(options, { ...archive, out })
    : { handler: localHandler(archive), watch: untilAborted };
  const server = await listen(handler, options);
  try {
    process.stdout.write(`${options.json ? JSON.stringify({ url: server.url }) : server.url}\n`);
    await watch(abortOnSignals());
  } finally {
    await server.close();
  }
  return exitCodes.complete;
}

import type { Command } from "commander";
import { readToken } from "../config/load.ts";
import { publishedSettings } from "../publish/record.ts";
import { outputPaths } from "../publish/swap.ts";
import { rulesOf } from "../routes/rules.ts";
import { startServer } from "../serve/server.ts";
import { outputFolder } from "./folder.ts";
import { addCommonOptions, type CommonOptions, wholeNumber } from "./options.ts";
import { abortOnSignals, untilAborted } from "./signals.ts";

/** `stillpress serve`: shows what is published, until it is interrupted. */
export function addServe(program: Command): void {
  addCommonOptions(
    program
      .command("serve")
      .description("serve the published archive: the site, and the API mirror"),
  )
    .option("--port <n>", "port on 127.0.0.1; 0 for a free one", wholeNumber(0, 65_535), 8080)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--auth", "demand the access token of requests to the API, as the origin does", false)
    .action(async (options: CommonOptions & { port: number; host: string; auth: boolean }) => {
      const { out } = outputFolder(options);
      const settings = publishedSettings(out);
      const server = await startServer({
        publicRoot: outputPaths(out).public,
        root: rulesOf(settings).root,
        token: options.auth ? readToken(settings.origin) : undefined,
        port: options.port,
        host: options.host,
      });
      process.stdout.write(`${options.json ? JSON.stringify({ url: server.url }) : server.url}\n`);
      await untilAborted(abortOnSignals());
      await server.close();
    });
}

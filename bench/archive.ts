/** A corpus behind the demo origin, and the command that presses it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Content } from "../src/demo/model.ts";
import { startOrigin } from "../src/demo/origin.ts";
import { contentOf } from "./corpus.ts";
import { measured } from "./lib.ts";

const cli = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** Requests that an origin allows in a time. */
type Rate = { requests: number; perSeconds: number };

export async function startCorpus(folder: string, articles: number, pictures?: number) {
  return startArchive(folder, await contentOf(articles, pictures));
}

/**
 * @param rate of the origin, which the command keeps to; by default it has none. The origin tells nothing of it: in its
 * headers, times are whole seconds, and most of a second would be waited in vain.
 */
export async function startArchive(folder: string, content: Content, rate: Rate | null = null) {
  const told = { fileEtags: true, etags: true, rateHeaders: "none" } as const;
  const origin = await startOrigin({ content, ...told, rate });
  const out = (path: string): string => join(folder, "out", path);
  const file = join(folder, "stillpress.json");
  const settings = {
    origin: { baseUrl: origin.baseUrl, rate: rate ?? { requests: 1_000_000, perSeconds: 1 } },
    site: { title: "Bench" },
    out: out(""),
  };
  writeFileSync(file, JSON.stringify(settings));
  const env = { STILLPRESS_TOKEN: origin.tokens.organisation };
  return {
    content,
    out,
    /** Runs a command of stillpress, which a program such as strace may run. */
    run(name: string, ...within: string[]) {
      const [program = "", ...args] = [...within, process.execPath, cli, name];
      return measured([program, ...args, "--config", file, "--quiet"], env);
    },
    close: () => origin.close(),
  };
}

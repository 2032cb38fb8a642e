/** A corpus behind the demo origin, and the command that presses it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startOrigin } from "../src/demo/origin.ts";
import { contentOf } from "./corpus.ts";
import { measured } from "./lib.ts";

const cli = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

export async function startCorpus(folder: string, articles: number, pictures?: number) {
  const content = await contentOf(articles, pictures);
  const origin = await startOrigin({ content, fileEtags: true, etags: true });
  const out = (path: string): string => join(folder, "out", path);
  const file = join(folder, "stillpress.json");
  const settings = {
    origin: { baseUrl: origin.baseUrl, rate: { requests: 1_000_000, perSeconds: 1 } },
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

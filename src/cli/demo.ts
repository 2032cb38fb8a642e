import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, Option } from "commander";
import type { LoadedConfig } from "../config/load.ts";
import { loadConfig } from "../config/load.ts";
import { generateContent } from "../demo/content.ts";
import { loadContent } from "../demo/folder.ts";
import type { Content } from "../demo/model.ts";
import { generated, type OriginOptions, type Personality, personalities } from "../demo/options.ts";
import { type Origin, startOrigin } from "../demo/origin.ts";
import { ConfigError } from "../errors.ts";
import { isErrno } from "../lib/files.ts";
import type { Reporter } from "../lib/reporter.ts";
import { addCommonOptions, type CommonOptions, outputStyle, wholeNumber } from "./options.ts";
import { createReporter } from "./progress.ts";
import { runStages, stageNames } from "./run.ts";
import { abortOnSignals, untilAborted } from "./signals.ts";

interface DemoOptions {
  port: number;
  articles: number;
  galleries: number;
  images: number;
  seed: number;
  content?: string;
  personality: Personality;
}

/** `stillpress demo`: the main job on the embedded origin, or that origin alone. */
export function addDemo(program: Command): void {
  const count = wholeNumber(0);
  addCommonOptions(
    program
      .command("demo")
      .description("run the main job on the embedded demo origin, or serve that alone"),
  )
    .option("--origin-only", "only serve the demo origin, until interrupted", false)
    .option(
      "--port <n>",
      "port of the demo origin on 127.0.0.1; 0 for a free one",
      wholeNumber(0, 65_535),
      defaultDemoPort,
    )
    .option("--articles <n>", "number of generated articles", count, 120)
    .option("--galleries <n>", "number of generated galleries", count, 15)
    .option("--images <n>", "number of generated images", count, 200)
    .option("--seed <n>", "the same seed gives the same content", count, 1)
    .option(
      "--content <dir>",
      "serve this folder instead: articles.ndjson, image files, galleries.json",
    )
    .addOption(
      new Option("--personality <name>", "how the origin fills what the API document leaves open")
        .choices(["plain", "odd", "strict"] satisfies Personality[])
        .default("plain"),
    )
    .action(async (options: CommonOptions & DemoOptions & { originOnly: boolean }) => {
      const signal = abortOnSignals();
      const reporter = createReporter({
        ...outputStyle(options),
        quiet: options.quiet,
        stream: process.stderr,
      });
      const origin = await startDemo(options, reporter).finally(() => reporter.close());
      try {
        if (options.originOnly) {
          process.stdout.write(
            `${options.json ? JSON.stringify({ baseUrl: origin.baseUrl, tokens: origin.tokens }) : originText(origin)}\n`,
          );
          await untilAborted(signal);
          return;
        }
        process.exitCode = await runStages({
          loaded: demoLoaded(origin, options, options.out),
          stages: stageNames,
          common: options,
          token: () => origin.tokens.organisation,
          allowIncomplete: false,
          // It takes another port, or has another personality; an archive of somebody's service is not the demo's.
          moved: "on this host",
          signal,
        });
      } finally {
        await origin.close();
      }
    });
}

/**
 * The port is fixed: the archive keeps the origin's URLs, and another port would be another address. It is below those
 * that systems give to whoever asks for any (from 32768), so that it is seldom taken.
 */
const defaultDemoPort = 14178;

const demoConfig = fileURLToPath(new URL("../../config/demo.json", import.meta.url));

/** Starts the demo origin with generated content, or with somebody's own material. */
async function startDemo(options: DemoOptions, reporter: Reporter): Promise<Origin> {
  const chosen: Partial<OriginOptions> = personalities[options.personality];
  const content = await demoContent(options, reporter);
  try {
    // Without ETags, the report warns that a replaced file would not be noticed: no news for a demo.
    return await startOrigin({ fileEtags: true, ...chosen, content, port: options.port });
  } catch (cause) {
    if (!isErrno(cause, "EADDRINUSE")) throw cause;
    throw new ConfigError(`port ${options.port} is in use`, {
      cause,
      hint: "end what listens there, or choose another one with --port N",
    });
  }
}

async function demoContent(options: DemoOptions, reporter: Reporter): Promise<Content> {
  if (options.content !== undefined) return await loadContent(options.content);
  const { articles, galleries, images, seed, personality } = options;
  const progress = reporter.stage("painting", Math.min(images, 200));
  const content = await generateContent({
    ...generated[personality],
    articles,
    galleries,
    images,
    seed,
    onProgress: () => progress.advance(),
  });
  progress.end();
  return content;
}

/** The demo's configuration, pointed at the running origin. */
function demoLoaded(
  origin: Origin,
  { personality, content }: Pick<DemoOptions, "personality" | "content">,
  out?: string,
): LoadedConfig {
  const loaded = loadConfig({ file: demoConfig, flags: { out } });
  const { config } = loaded;
  const { paths, bodyField, timezone, tagMatch } = personalities[personality];
  const described = {
    paths: { ...config.origin.paths, ...paths },
    ...(bodyField === undefined ? {} : { bodyField }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(tagMatch === undefined ? {} : { tagMatch }),
  };
  const title = content === undefined ? config.site.title : basename(resolve(content));
  return {
    ...loaded,
    config: {
      ...config,
      origin: { ...config.origin, ...described, baseUrl: origin.baseUrl },
      site: { ...config.site, title },
    },
  };
}

function originText({
  baseUrl,
  tokens,
}: {
  baseUrl: string;
  tokens: Record<string, string>;
}): string {
  return [baseUrl, `organisation token: ${tokens.organisation}`, `user token: ${tokens.user}`].join(
    "\n",
  );
}

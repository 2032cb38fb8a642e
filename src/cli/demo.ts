import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { LoadedConfig } from "../config/load.ts";
import { loadConfig } from "../config/load.ts";
import { generateContent } from "../demo/content.ts";
import { loadContent } from "../demo/folder.ts";
import type { Content } from "../demo/model.ts";
import { type OriginOptions, personalities } from "../demo/options.ts";
import { type Origin, startOrigin } from "../demo/origin.ts";
import { ConfigError } from "../errors.ts";
import { isErrno } from "../lib/files.ts";
import type { Reporter } from "../lib/reporter.ts";

export interface DemoOptions {
  port: number;
  articles: number;
  galleries: number;
  images: number;
  seed: number;
  content?: string;
  personality: keyof typeof personalities;
}

/** The port is fixed: the archive keeps the origin's URLs, and another port would be another origin. */
export const defaultDemoPort = 41780;

const demoConfig = fileURLToPath(new URL("../../config/demo.json", import.meta.url));

/** Starts the demo origin with generated content, or with somebody's own material. */
export async function startDemo(options: DemoOptions, reporter: Reporter): Promise<Origin> {
  const chosen: Partial<OriginOptions> = personalities[options.personality];
  const content = await demoContent(options, reporter);
  try {
    return await startOrigin({ ...chosen, content, port: options.port });
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
  const { articles, galleries, images, seed } = options;
  const progress = reporter.stage("painting", Math.min(images, 200));
  const content = await generateContent({
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
export function demoLoaded(
  origin: Origin,
  { personality, content }: Pick<DemoOptions, "personality" | "content">,
  out?: string,
): LoadedConfig {
  const loaded = loadConfig({ file: demoConfig, flags: { out } });
  const { config } = loaded;
  const { paths, bodyField, timezone, tagMatch } = personalities[personality];
  const described = {
    ...(paths === undefined ? {} : { paths }),
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

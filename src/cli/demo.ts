import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { generateContent } from "../demo/content.ts";
import { loadContent } from "../demo/folder.ts";
import type { Content } from "../demo/model.ts";
import { type Personality, personalities } from "../demo/options.ts";
import { type Origin, startOrigin } from "../demo/origin.ts";
import { ConfigError, type ExitCode, exitCodes } from "../errors.ts";
import { isErrno } from "../lib/files.ts";
import type { Reporter } from "../lib/reporter.ts";
import { type CommonOptions, reporterOf, stageNames } from "./options.ts";
import { print, printJson } from "./print.ts";
import { runStages } from "./run.ts";
import { abortOnSignals, untilAborted } from "./signals.ts";

interface DemoOptions extends CommonOptions {
  originOnly: boolean;
  port: number;
  articles: number;
  galleries: number;
  images: number;
  seed: number;
  content?: string;
  personality: Personality;
}

/** `stillpress demo`: the main job on the embedded origin, or that origin alone. */
export async function runDemo(options: DemoOptions): Promise<ExitCode> {
  const signal = abortOnSignals();
  const reporter = reporterOf(options);
  const origin = await startDemo(options, reporter).finally(() => reporter.close());
  try {
    if (options.originOnly) {
      const { baseUrl, tokens } = origin;
      const { organisation, user } = tokens;
      if (options.json) printJson({ baseUrl, tokens });
      else print([baseUrl, `organisation token: ${organisation}`, `user token: ${user}`]);
      await untilAborted(signal);
      return exitCodes.complete;
    }
    const loaded = demoLoaded(origin, options);
    const token = origin.tokens.organisation;
    // Another port or personality is still the demo; an archive of somebody's service is not.
    const moved = "on this host";
    return await runStages({ loaded, stages: stageNames, common: options, token, moved, signal });
  } finally {
    await origin.close();
  }
}

const demoConfig = fileURLToPath(new URL("../../config/demo.json", import.meta.url));

async function startDemo(options: DemoOptions, reporter: Reporter): Promise<Origin> {
  const content = await demoContent(options, reporter);
  try {
    // Without ETags, the report would warn that replaced files are not noticed.
    const chosen = { fileEtags: true, ...personalities[options.personality] };
    return await startOrigin({ ...chosen, content, port: options.port });
  } catch (cause) {
    if (!isErrno(cause, "EADDRINUSE")) throw cause;
    const hint = "stop the program that listens there, or choose another port with --port N";
    throw new ConfigError(`port ${options.port} is in use`, { cause, hint });
  }
}

async function demoContent(options: DemoOptions, reporter: Reporter): Promise<Content> {
  if (options.content !== undefined) return await loadContent(options.content);
  const { articles, galleries, images, seed } = options;
  const progress = reporter.stage("painting", Math.min(images, 100));
  const settings = { articles, galleries, images, seed };
  const content = await generateContent({ ...settings, onProgress: () => progress.advance() });
  progress.end();
  return content;
}

function demoLoaded(origin: Origin, { personality, content, out }: DemoOptions): LoadedConfig {
  const loaded = loadConfig({ file: demoConfig, flags: { out, origin: origin.baseUrl } });
  const { origin: settings, site } = loaded.config;
  const { paths, ...answers } = personalities[personality];
  const { bodyField, timezone, tagMatch } = { ...settings, ...answers };
  Object.assign(settings.paths, paths);
  Object.assign(settings, { bodyField, timezone, tagMatch });
  if (content !== undefined) site.title = basename(resolve(content));
  return loaded;
}

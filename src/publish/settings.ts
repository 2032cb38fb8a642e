import { join } from "node:path";
import { z } from "zod";
import { type Config, ConfigSchema } from "../config.ts";
import { StoreError } from "../errors.ts";
import { readText, writeDurably } from "../lib/files.ts";
import { outputPaths, publishedBuild } from "./swap.ts";

const fileName = "settings.json";

/** The settings that one must know to serve a build: how its origin's URLs were shaped. */
const ServedSettings = z.object({
  origin: ConfigSchema.shape.origin,
  mirror: ConfigSchema.shape.mirror,
  media: ConfigSchema.shape.media,
});
export type ServedSettings = Pick<Config, "origin" | "mirror" | "media">;

/** Writes the settings beside a build's files, outside its publish root, unless they stand there already. */
export function writeSettings(build: string, { origin, mirror, media }: ServedSettings): void {
  const path = join(build, fileName);
  const text = `${JSON.stringify({ origin, mirror, media }, null, 1)}\n`;
  if (readText(path) !== text) writeDurably(path, text);
}

/**
 * The settings that the published build was made with.
 *
 * @throws StoreError where nothing is published, or its settings cannot be read
 */
export function publishedSettings(out: string): ServedSettings {
  const build = publishedBuild(out);
  if (build === undefined) {
    throw new StoreError(`${outputPaths(out).public}: nothing is published there`, {
      hint: 'run "stillpress snapshot" first, or "stillpress demo"',
    });
  }
  const path = join(build, fileName);
  try {
    return ServedSettings.parse(JSON.parse(readText(path) ?? ""));
  } catch (cause) {
    throw new StoreError(`${path} is missing or damaged`, { cause, hint: "build again" });
  }
}

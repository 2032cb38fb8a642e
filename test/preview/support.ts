import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Press } from "../support/archive.ts";

/** Saves as many editors do: a new file in the place of the old one. */
export function save(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}~`, content);
  renameSync(`${path}~`, path);
}

/** The folder of the theme of a configured archive. */
export const themeOf = (press: Press): string => join(press.folder, "theme");

/** Gives an archive a theme of its own, and settings of the website. */
export function configure(press: Press, site: object = {}): void {
  mkdirSync(themeOf(press), { recursive: true });
  const config = JSON.parse(readFileSync(press.configFile, "utf8"));
  save(
    press.configFile,
    JSON.stringify({ ...config, site: { templates: themeOf(press), ...site } }),
  );
}

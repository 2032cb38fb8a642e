import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type LoadOptions, loadConfig } from "../../src/config/load.ts";
import { ConfigError } from "../../src/errors.ts";

/** Path of a file with this text, which is gone after the test. */
export function fileOf(text: string, name = "ci.json"): string {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** The configuration that a text makes; no variable of the machine plays a part. */
export function load(text: string, options: Partial<LoadOptions> = {}) {
  return loadConfig({ file: fileOf(text), env: {}, ...options }).config;
}

/** Message and hint that a text is refused with, the folder of the file left out. */
export function refusal(text: string, options: Partial<LoadOptions> = {}): string[] {
  const file = fileOf(text);
  try {
    loadConfig({ file, env: {}, ...options });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.message.replaceAll(file, "ci.json").split("\n");
    return error.hint === undefined ? lines : [...lines, `hint: ${error.hint}`];
  }
  return ["accepted"];
}

import { readFileSync, statSync } from "node:fs";
import { type Config, ConfigSchema } from "../config.ts";
import { ConfigError } from "../errors.ts";
import { isErrno } from "../lib/files.ts";
import { iconsOf, readLogo } from "../media/icons.ts";
import { papersOf } from "./assets.ts";
import { compileTemplates, readTemplates, type Templates } from "./templates.ts";

const vectorIcon = "icon.svg";

/**
 * The templates of a website with its accent, its logo and the icons that are made of it.
 *
 * @param folder absolute
 * @throws ConfigError where the folder or the logo is not there, or a template cannot be compiled
 */
export async function loadTheme(
  folder: string,
  { templates: setting, language, accent, logo: file }: Config["site"],
): Promise<Templates> {
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isThere && setting !== ConfigSchema.shape.site.parse({}).templates) {
    throw new ConfigError(`site.templates: ${folder}: no such folder`, {
      hint: "make it, or leave the setting out for the built-in templates",
    });
  }
  const files = readTemplates(folder, language);
  const own = file === null ? null : await readLogo(readFile(file), file);
  const bytes = own?.bytes ?? files.assets.get(vectorIcon);
  const { light } = papersOf(files.assets);
  const icons = new Map<string, Uint8Array | null>(bytes && (await iconsOf(bytes, light)));
  if (own === null) return compileTemplates(files, { accent, icons });
  icons.set(vectorIcon, own.isVector ? own.bytes : null);
  const name = own.isVector ? vectorIcon : "logo.png";
  icons.set(name, own.bytes);
  return compileTemplates(files, { accent, icons, logo: { ...own, name } });
}

function readFile(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    const reason = isErrno(cause, "ENOENT") ? "no such file" : "cannot be read";
    throw new ConfigError(`site.logo: ${file}: ${reason}`, { cause });
  }
}

import { keyOf } from "../../lib/digest.ts";
import type { OutputFile } from "../../lib/output.ts";
import { relativeHref, sitePaths } from "../../routes/site.ts";
import type { Site } from "../site.ts";

/** `--paper` of the style sheet. */
const paper = "#fbf9f4";

/** What a device shows of the website beside its pages, such as its name on the home screen. W3C Web Application Manifest. */
export function webManifestFile({ config, formats, templates }: Site): OutputFile {
  const { title, description } = config.site;
  const from = sitePaths.webManifest;
  const icon = templates.assets.get("icon.svg")?.path;
  const data = {
    name: title,
    ...(description === "" ? {} : { description }),
    lang: formats.language,
    dir: formats.direction,
    start_url: relativeHref(from, sitePaths.home),
    display: "browser",
    background_color: paper,
    theme_color: paper,
    icons:
      icon === undefined
        ? []
        : [{ src: relativeHref(from, icon), sizes: "any", type: "image/svg+xml" }],
  };
  const text = `${JSON.stringify(data, null, 2)}\n`;
  return { path: from, key: keyOf(text), content: () => text };
}

import { keyOf } from "../../lib/digest.ts";
import type { OutputFile } from "../../lib/output.ts";
import { relativeHref, sitePaths } from "../../routes/site.ts";
import type { Site } from "../site.ts";

const icons = [
  { name: "icon.svg", sizes: "any", type: "image/svg+xml" },
  { name: "icon-192.png", sizes: "192x192", type: "image/png" },
  { name: "icon-512.png", sizes: "512x512", type: "image/png" },
];

/** What a device shows of the website beside its pages, such as its name on the home screen. W3C Web Application Manifest. */
export function webManifestFile(site: Site): OutputFile {
  // Made when it is asked for: the theme of a preview may be another one by then.
  const content = (): string => manifestText(site);
  return { path: sitePaths.webManifest, key: () => keyOf(content()), content };
}

function manifestText({ config, formats, templates }: Site): string {
  const { title, description } = config.site;
  const from = sitePaths.webManifest;
  const { light: paper } = templates.papers;
  const data = {
    name: title,
    ...(description === "" ? {} : { description }),
    lang: formats.language,
    dir: formats.direction,
    start_url: relativeHref(from, sitePaths.home),
    display: "browser",
    background_color: paper,
    theme_color: paper,
    icons: icons.flatMap(({ name, ...facts }) => {
      const path = templates.assets.get(name)?.path;
      return path === undefined ? [] : [{ src: relativeHref(from, path), ...facts }];
    }),
  };
  return `${JSON.stringify(data, null, 2)}\n`;
}

import { keyOf } from "../../lib/digest.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import type { Site } from "../site.ts";

/** Tells crawlers what they may read. The mirror stays open to them, because the pictures of the pages lie in it. RFC 9309. */
export function robotsFile({ config }: Pick<Site, "config">): OutputFile {
  const isOpen = config.site.robots === "index";
  const text = `User-agent: *\n${isOpen ? "Allow" : "Disallow"}: /\n`;
  return { path: sitePaths.robots, key: keyOf(text), content: () => text };
}

import { keyOf } from "../../lib/digest.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { publicUrl, type Site } from "../site.ts";

/**
 * Tells crawlers what they may read, by RFC 9309, and where the sitemap is. The mirror stays open to them, because the
 * pictures of the pages lie in it.
 */
export function robotsFile(site: Pick<Site, "config">): OutputFile {
  const text = site.config.site.robots === "index" ? openTo(site) : "User-agent: *\nDisallow: /\n";
  return { path: sitePaths.robots, key: keyOf(text), content: () => text };
}

function openTo(site: Pick<Site, "config">): string {
  const sitemap = publicUrl(site, sitePaths.sitemap);
  return `User-agent: *\nAllow: /\n${sitemap === null ? "" : `\nSitemap: ${sitemap}\n`}`;
}

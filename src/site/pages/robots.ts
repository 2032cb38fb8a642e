import { type OutputFile, textFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { publicUrl, type Site } from "../site.ts";

/**
 * Tells crawlers what they may read, by RFC 9309, and where the sitemap is. The mirror stays open to them, because the
 * pictures of the pages lie in it.
 */
export function robotsFile(site: Pick<Site, "config">): OutputFile {
  if (site.config.site.robots !== "index") {
    return textFile(sitePaths.robots, "User-agent: *\nDisallow: /\n");
  }
  const sitemap = publicUrl(site, sitePaths.sitemap);
  const more = sitemap === null ? "" : `\nSitemap: ${sitemap}\n`;
  return textFile(sitePaths.robots, `User-agent: *\nAllow: /\n${more}`);
}

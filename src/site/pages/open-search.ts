import { xmlText } from "../../lib/foreign.ts";
import { type OutputFile, textFile } from "../../lib/output.ts";
import { xmlElement } from "../../lib/xml.ts";
import { sitePaths } from "../../routes/site.ts";
import { hasOpenSearch, publicUrl, type Site } from "../site.ts";

/** Of a name in OpenSearch 1.1. */
const maxLength = 16;

/** How a browser searches the website from its address bar. Nothing where the website has no address, or no search. */
export function* openSearchFile(site: Site): Generator<OutputFile> {
  if (!hasOpenSearch(site)) return;
  const { title, description } = site.config.site;
  const urlOf = (path: string): string => publicUrl(site, path) ?? path;
  const results = { type: "text/html", template: `${urlOf(sitePaths.search)}?q={searchTerms}` };
  const children = [
    xmlElement("ShortName", {}, xmlText(Array.from(title).slice(0, maxLength).join("").trim())),
    xmlElement("Description", {}, xmlText(description || title)),
    xmlElement("InputEncoding", {}, "UTF-8"),
    xmlElement("Image", { width: 32, height: 32, type: "image/x-icon" }, urlOf(sitePaths.favicon)),
    xmlElement("Url", results),
  ];
  const xmlns = "http://a9.com/-/spec/opensearch/1.1/";
  const root = xmlElement("OpenSearchDescription", { xmlns }, `\n${children.join("\n")}\n`);
  yield textFile(sitePaths.openSearch, `<?xml version="1.0" encoding="utf-8"?>\n${root}\n`);
}

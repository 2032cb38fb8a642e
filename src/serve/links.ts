import { rewriteJson } from "../lib/jsontext.ts";
import type { MirrorDescription } from "../routes/description.ts";

const entity = "&(?:quot|apos|lt|gt|#0*3[49]|#x0*2[27]|#0*6[02]|#x0*3[ce]);";
// No URL is longer, and millions of characters would overflow the stack of the expression.
const urlChars = `(?:(?!${entity})[^\\s"'<>()\\\\]){1,65536}`;
/** A link that begins with ./ or ../, like every relative link of a mirror. */
const relative = new RegExp(`(?<![\\w./-])\\.{1,2}/${urlChars}`, "g");
/** A link from the root of the host, alone or where an attribute begins. */
const rooted = new RegExp(`(?<=^|["'(=,]|&quot;|&#0*3[49];)/(?!/)${urlChars}`, "g");
/** What the path of everything in an archive ends with, and a link may have behind it. */
const named = /\.[a-z0-9]{2,5}(?:[?#].*)?$/i;
/** Where the pages and files of an archive are. */
const ofSite = /^\/(?:articles|galleries|images|categories|tags|archive|media|assets)\//;

/**
 * The answer's JSON with its links into the archive made absolute, so that a client can ask for them wherever the
 * archive is served. What is no such link stays as it is.
 *
 * @param file path of the answer's file from the publish root, which relative links start from
 * @param origin scheme, host and port that the archive is served at, "https://archive.example.org"
 */
export function absoluteLinks(
  json: string,
  file: string,
  origin: string,
  { links, url, rules }: MirrorDescription,
): string {
  if (url !== null) {
    if (url === origin) return json;
    return rewriteJson(json, (text) => text.replaceAll(`${url}/`, `${origin}/`));
  }
  if (links === "api") {
    return rewriteJson(json, (text) =>
      text.replace(rooted, (link) =>
        link.startsWith(`/${rules.root}/`) || (ofSite.test(link) && named.test(link))
          ? origin + link
          : link,
      ),
    );
  }
  const base = `${origin}/${file}`;
  return rewriteJson(json, (text) =>
    text.replace(relative, (link) => (named.test(link) ? new URL(link, base).href : link)),
  );
}

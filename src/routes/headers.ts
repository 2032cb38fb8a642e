import type { Rules } from "./rules.ts";
import { sitePaths } from "./site.ts";
import { linkFolder } from "./table.ts";

/** Headers of the answers whose file's path begins and ends so. A later rule adds to an earlier one, and wins. */
export interface HeaderRule {
  /** Begins with "/". */
  prefix: string;
  /** May be empty. */
  suffix: string;
  headers: Record<string, string>;
}

const minute = 60;
const day = 86_400;
const year = 31_536_000;

/** What every server sends with an archive's files, besides their content types. */
export function headerRules({ root }: Pick<Rules, "root">): HeaderRule[] {
  const immutable = { "Cache-Control": `public, max-age=${year}, immutable` };
  const folderOf = (path: string): string => `/${path.split("/")[0]}/`;
  return [
    {
      prefix: "/",
      suffix: "",
      headers: {
        "Cache-Control": `public, max-age=${5 * minute}`,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
      },
    },
    { prefix: folderOf(sitePaths.asset("")), suffix: "", headers: immutable },
    { prefix: folderOf(sitePaths.media("", "")), suffix: "", headers: immutable },
    { prefix: `/${root}/`, suffix: "", headers: corsHeaders },
    // An image keeps its address when the origin changes it, so that it must be asked for again some time.
    ...[".jpg", ".webp", ".avif"].map((suffix) => ({
      prefix: `/${root}/images/`,
      suffix,
      headers: { "Cache-Control": `public, max-age=${day}` },
    })),
    ...[`/${root}/images/by/download/`, `/${linkFolder(root)}`].flatMap((prefix): HeaderRule[] => [
      {
        prefix,
        suffix: "",
        headers: { "Content-Disposition": "attachment", "Cache-Control": `public, max-age=${day}` },
      },
      {
        prefix,
        suffix: ".svg.txt",
        // The only original that could run scripts, if a browser were shown it as what it is.
        headers: {
          "Content-Type": "image/svg+xml",
          "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        },
      },
    ]),
  ];
}

/** Lets programs of other sites read the API. */
export const corsHeaders = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag, Content-Range, Content-Length, Last-Modified",
};

/** Answers a browser's question, with status 204, whether a program of another site may send its headers. */
export const preflightHeaders = {
  ...corsHeaders,
  "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
  // The API's clients send Authorization, which * does not cover, and Content-Type.
  "Access-Control-Allow-Headers": "Authorization, Content-Type, Accept, Range, If-None-Match, *",
  "Access-Control-Max-Age": String(day),
};

/** The headers of one file, by its path from the publish root. */
export function headersOf(path: string, rules: readonly HeaderRule[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { prefix, suffix, headers } of rules) {
    if (`/${path}`.startsWith(prefix) && path.endsWith(suffix)) Object.assign(found, headers);
  }
  return found;
}

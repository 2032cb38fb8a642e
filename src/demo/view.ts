/** The origin's reading pages: where `links.view` leads, outside the API and its limits. */
import { percentDecoded } from "../lib/urls.ts";
import type { Links } from "./links.ts";
import type { Content } from "./model.ts";
import { bodyOf } from "./objects.ts";
import type { OriginOptions } from "./options.ts";
import { escaped as text } from "./prose/body.ts";

/** HTML of the page at a path; undefined where there is none. */
export function createPages(
  content: Content,
  options: OriginOptions,
  links: Links,
): (path: string) => string | undefined {
  const picture = (id: string): string => `<img src="${text(links.web(id, "width=800"))}">`;
  const pages: Record<string, (key: string) => string | undefined> = {
    articles: (slug) => {
      const all = [...content.articles, ...content.neighbours];
      const one = all.find((article) => article.slug === slug);
      if (!one) return undefined;
      const date = new Date(one.publishedAt).toISOString().slice(0, 10);
      const synopsis = `<p><em>${text(one.synopsis)}</em></p>`;
      return frame(one.title, `<p>${date}</p>${synopsis}${bodyOf(one, links)}`);
    },
    galleries: (slug) => {
      const one = [...content.galleries].find((gallery) => gallery.slug === slug);
      return one && frame(one.title, one.images.map(picture).join("\n"));
    },
    images: (id) => {
      const one = content.images.get(id);
      if (!one || one.private) return undefined;
      return frame(one.title, `${picture(id)}<p>${text(one.caption)}</p>`);
    },
  };
  for (const kind of ["videos", "documents", "audio"] as const) {
    pages[kind] = (id) => {
      const one = content[kind].get(id);
      if (!one) return undefined;
      const link = `<a href="${text(links.download(kind, id))}">${text(one.mime)}</a>`;
      return frame(one.title, `<p>${text(one.caption)}</p><p>${link}</p>`);
    };
  }
  return (path) => {
    if (path === "/") return welcome(content, options, links);
    const [, kind = "", key = ""] = /^\/view\/([a-z]+)\/([^/]+)\/?$/.exec(path) ?? [];
    return pages[kind]?.(percentDecoded(key));
  };
}

function welcome(content: Content, { tokens }: OriginOptions, links: Links): string {
  const newest = [...content.articles]
    .slice(0, 20)
    .map((one) => `<li><a href="${links.view("articles", one.slug)}">${text(one.title)}</a>`);
  const counts = `${content.articles.length} articles, ${content.images.length} images`;
  const command = `curl -H "Authorization: Bearer ${tokens.organisation}" ${links.api("/articles")}`;
  return frame(
    "Demo origin",
    `<p>${counts}.</p>\n<pre>${text(command)}</pre>\n<ul>${newest.join("\n")}</ul>`,
  );
}

function frame(title: string, html: string): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${text(title)}</title>
<style>body{max-width:42rem;margin:2rem auto;padding:0 1rem;font:17px/1.6 Georgia,serif}
img{max-width:100%;height:auto}td,th{padding:.2rem .8rem;text-align:left}</style>
<h1>${text(title)}</h1>
${html}
`;
}

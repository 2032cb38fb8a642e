/** The origin's reading pages: where `links.view` leads, outside the API and its limits. */
import type { Links } from "./links.ts";
import type { Article, Content } from "./model.ts";
import { bodyOf } from "./objects.ts";
import type { OriginOptions } from "./options.ts";

/** HTML of the page at a path; undefined where there is none. */
export function createPages(
  content: Content,
  options: OriginOptions,
  links: Links,
): (path: string) => string | undefined {
  const article = (one: Article): string => {
    const date = new Date(one.publishedAt).toISOString().slice(0, 10);
    const synopsis = `<p><em>${text(one.synopsis)}</em></p>`;
    return frame(one.title, `<p>${date}</p>${synopsis}${bodyOf(one, links)}`);
  };
  return (path) => {
    if (path === "/") return welcome(content, options, links);
    const [, kind, key] = /^\/view\/([a-z]+)\/([^/]+)\/?$/.exec(path) ?? [];
    if (!kind || !key) return undefined;
    const wanted = safelyDecoded(key);
    if (kind === "articles") {
      const found = bySlug(content.articles, wanted) ?? bySlug(content.neighbours, wanted);
      return found && article(found);
    }
    if (kind === "galleries") {
      const found = bySlug(content.galleries, wanted);
      if (!found) return undefined;
      const pictures = found.images.map((id) => `<img src="${text(links.web(id, "width=480"))}">`);
      return frame(found.title, pictures.join("\n"));
    }
    if (kind === "videos" || kind === "documents" || kind === "audio") {
      const file = content[kind].get(wanted);
      if (!file) return undefined;
      const link = `<a href="${text(links.download(kind, file.id))}">${text(file.mime)}</a>`;
      return frame(file.title, `<p>${text(file.caption)}</p><p>${link}</p>`);
    }
    const image = kind === "images" ? content.images.get(wanted) : undefined;
    if (!image || image.private) return undefined;
    const picture = `<img src="${text(links.web(image.id))}" alt="${text(image.title)}">`;
    return frame(image.title, `${picture}<p>${text(image.caption)}</p>`);
  };
}

function welcome(content: Content, options: OriginOptions, links: Links): string {
  const newest: string[] = [];
  for (let place = 0; place < Math.min(20, content.articles.length); place += 1) {
    const one = content.articles.at(place);
    if (one)
      newest.push(`<li><a href="${links.view("articles", one.slug)}">${text(one.title)}</a>`);
  }
  const counts = `${content.articles.length} articles, ${content.images.length} images`;
  return frame(
    "Demo origin",
    `<p>${counts}. The API is at <code>${text(links.api(""))}</code>.</p>
<pre>curl -H "Authorization: Bearer ${text(options.tokens.organisation)}" ${text(links.api("/articles"))}</pre>
<ul>${newest.join("\n")}</ul>`,
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

function bySlug<T extends { id: string; slug: string }>(
  items: Iterable<T>,
  slug: string,
): T | undefined {
  for (const item of items) if (item.slug === slug) return item;
  return undefined;
}

function safelyDecoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function text(raw: string): string {
  return raw
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

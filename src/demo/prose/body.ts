import type { BodyLinks } from "../model.ts";
import { type Dice, dice } from "../random.ts";
import { closings, extras } from "./closings.ts";
import type { Story } from "./story.ts";
import { externalSites } from "./vocabulary.ts";

/** An image, or a file, that a body may show or link to. */
export interface Ingredient {
  id: string;
  title: string;
  caption: string;
}

/** What there is to be woven into the body of one article. */
export interface Ingredients {
  images: Ingredient[];
  videos: Ingredient[];
  audio: Ingredient[];
  documents: Ingredient[];
  /** Other articles of the magazine. */
  related: { slug: string; title: string }[];
}

/**
 * HTML of an article: an opening, two or three sections with headings, and, depending on the
 * number of the article, pictures, a quotation, a list, a table, code and links. The same
 * arguments always give the same text.
 */
export function writeBody(
  story: Story,
  ingredients: Ingredients,
  links: BodyLinks,
  ...parts: number[]
): string {
  const throws = dice(...parts, 12);
  const { subject, fill } = story;
  const pictures = ingredients.images.map((image) => picture(image, links, throws));
  const nextPicture = (): string[] => pictures.splice(0, 1);
  const paragraphs = throws.some(subject.paragraphs, 4 + throws.roll(2)).map(paragraph);
  const middle = paragraphs.length >> 1;
  const quote = `<blockquote><p>${throws.pick(subject.quotes)}</p></blockquote>`;
  const detail = throws.chance(50) ? list(story, throws) : table(story);
  const blocks = [
    paragraph(throws.pick(subject.openings)),
    ...nextPicture(),
    ...paragraphs.slice(0, middle),
    `<h2>${subject.headings[0] ?? ""}</h2>`,
    ...paragraphs.slice(middle, middle + 1),
    quote,
    ...nextPicture(),
    ...paragraphs.slice(middle + 1, middle + 2),
    `<h2>${subject.headings[1] ?? ""}</h2>`,
    ...paragraphs.slice(middle + 2),
    detail,
    ...nextPicture(),
    ...(subject.code && throws.chance(60) ? code(subject.code) : []),
    paragraph(throws.pick(extras)),
    ...attachments(ingredients, links),
    ...reading(ingredients, links, throws),
    ...(pictures.length > 0 ? [`<h3>More pictures</h3>`, ...pictures.slice(0, 4)] : []),
    "<hr>",
    `<p><small>${throws.pick(closings)}</small></p>`,
  ];
  return fill(blocks.join("\n"));
}

function paragraph(text: string): string {
  return `<p>${text}</p>`;
}

function picture(image: Ingredient, links: BodyLinks, throws: Dice): string {
  const alt = escaped(image.title);
  const caption = `<figcaption>${escaped(image.caption)}</figcaption>`;
  const url = (scaling?: string): string => escaped(links.web(image.id, scaling));
  switch (throws.roll(6)) {
    case 0:
      return `<figure><img src="${url("width=800")}" alt="${alt}" width="800">${caption}</figure>`;
    case 1: {
      const set = [480, 960, 1440].map((width) => `${url(`width=${width}`)} ${width}w`).join(", ");
      const sizes = "(max-width: 40rem) 100vw, 40rem";
      return `<figure><img src="${url()}" srcset="${set}" sizes="${sizes}" alt="${alt}" loading="lazy">${caption}</figure>`;
    }
    case 2: {
      const small = escaped(links.thumbnail(image.id, "landscape"));
      return `<p><a href="${links.view("images", image.id)}"><img src="${small}" alt="${alt}"></a></p>`;
    }
    case 3:
      // Some authors paste addresses as they are, with bare ampersands.
      return `<p><img class="wide" src="${links.web(image.id, "width=640&height=360")}" alt="${alt}"></p>`;
    default:
      return `<figure><img src="${url()}" alt="${alt}">${caption}</figure>`;
  }
}

function list({ subject }: Story, throws: Dice): string {
  const tag = throws.chance(30) ? "ol" : "ul";
  const items = subject.list.items.map((item) => `  <li>${item}</li>`).join("\n");
  return `<p>${subject.list.lead}</p>\n<${tag}>\n${items}\n</${tag}>`;
}

function table({ subject }: Story): string {
  const { caption, head, rows } = subject.table;
  const row = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  return `<table>
<caption>${caption}</caption>
<thead>${row(head, "th")}</thead>
<tbody>
${rows.map((cells) => row(cells, "td")).join("\n")}
</tbody>
</table>`;
}

function code({ lead, text }: { lead: string; text: string }): string[] {
  return [paragraph(lead), `<pre><code>${escaped(text)}</code></pre>`];
}

function attachments({ documents, audio, videos }: Ingredients, links: BodyLinks): string[] {
  const papers = documents.map((one) => {
    const url = escaped(links.download("documents", one.id));
    return `<p>For the details: <a href="${url}">${escaped(one.title)}</a> (PDF).</p>`;
  });
  const sounds = audio.map((one) => {
    const url = escaped(links.download("audio", one.id));
    return `<figure><audio controls src="${url}"></audio><figcaption>${escaped(one.caption)}</figcaption></figure>`;
  });
  const films = videos.map((one) => {
    const url = escaped(links.download("videos", one.id));
    return `<figure><video controls width="480"><source src="${url}" type="video/webm"></video><figcaption>${escaped(one.caption)}</figcaption></figure>`;
  });
  return [...films, ...sounds, ...papers];
}

function reading({ related }: Ingredients, links: BodyLinks, throws: Dice): string[] {
  const [first, second] = related;
  const [url, name] = throws.pick(externalSites);
  const link = (one: { slug: string; title: string }): string =>
    `<a href="${links.view("articles", one.slug)}">${escaped(one.title)}</a>`;
  const outside = `<a href="${escaped(url)}" rel="noopener" target="_blank">${name}</a>`;
  if (!first) return [`<p>To read on, there is ${outside}.</p>`];
  const also = second ? `; the matter came up before in ${link(second)}` : "";
  return [`<p>See also ${link(first)}${also}. Outside these pages there is ${outside}.</p>`];
}

/** Text as HTML, also within a double-quoted attribute. */
export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

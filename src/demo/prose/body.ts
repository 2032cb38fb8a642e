import { xmlText as escaped } from "../../lib/foreign.ts";
import { type Dice, dice } from "../../lib/random.ts";
import { magazine } from "../magazine.ts";
import type { BodyLinks, FileKind } from "../model.ts";
import type { Story } from "./story.ts";

type Ingredients = Record<FileKind | "images", { id: string; title: string; caption: string }[]> & {
  related: { slug: string; title: string }[];
};

/** HTML of an article. Pictures, lists, tables and links depend on the seed. */
export function writeBody(
  { subject, fill }: Story,
  ingredients: Ingredients,
  links: BodyLinks,
  seed: number,
): string {
  const throws = dice(seed, 12);
  const pictures = ingredients.images.map((image) => picture(image, links, throws));
  const [first = "", second = "", ...others] = throws.some(subject.paragraphs, 4);
  const blocks = [
    paragraph(throws.pick(subject.openings)),
    ...pictures.slice(0, 1),
    paragraph(first),
    `<h2>${subject.headings[0]}</h2>`,
    paragraph(second),
    `<blockquote><p>${subject.quote}</p></blockquote>`,
    ...pictures.slice(1, 2),
    `<h2>${subject.headings[1]}</h2>`,
    ...others.map(paragraph),
    throws.chance(50) ? list(subject.list, throws.chance(30) ? "ol" : "ul") : table(subject.table),
    ...attachments(ingredients, links),
    reading(ingredients, links, throws),
    ...(pictures.length > 2 ? ["<h3>More pictures</h3>", ...pictures.slice(2, 6)] : []),
    "<hr>",
    `<p><small>${throws.pick(magazine.closings)}</small></p>`,
  ];
  return fill(blocks.join("\n"));
}

const paragraph = (text: string): string => `<p>${text}</p>`;

function picture(image: Ingredients["images"][number], links: BodyLinks, throws: Dice): string {
  const alt = escaped(image.title);
  const url = (scaling?: string): string => escaped(links.web(image.id, scaling));
  const figure = (attributes: string): string =>
    `<figure><img ${attributes} alt="${alt}"><figcaption>${escaped(image.caption)}</figcaption></figure>`;
  switch (throws.roll(6)) {
    case 0:
      return figure(`src="${url("width=800")}" width="800"`);
    case 1: {
      const set = [480, 960, 1440].map((width) => `${url(`width=${width}`)} ${width}w`).join(", ");
      const sizes = "(max-width: 40rem) 100vw, 40rem";
      return figure(`src="${url()}" srcset="${set}" sizes="${sizes}" loading="lazy"`);
    }
    case 2: {
      const small = escaped(links.thumbnail(image.id, "landscape"));
      return `<p><a href="${links.view("images", image.id)}"><img src="${small}" alt="${alt}"></a></p>`;
    }
    case 3:
      // Some authors paste addresses as they are, with bare ampersands.
      return `<p><img class="wide" src="${links.web(image.id, "width=640&height=360")}" alt="${alt}"></p>`;
    default:
      return figure(`src="${url()}"`);
  }
}

function list([lead, ...entries]: string[], tag: string): string {
  const items = entries.map((entry) => `  <li>${entry}</li>`).join("\n");
  return `<p>${lead}</p>\n<${tag}>\n${items}\n</${tag}>`;
}

function table([caption, head = "", ...rows]: string[]): string {
  const row = (cells: string, tag: string): string =>
    `<tr><${tag}>${cells.split("|").join(`</${tag}><${tag}>`)}</${tag}></tr>`;
  return `<table>
<caption>${caption}</caption>
<thead>${row(head, "th")}</thead>
<tbody>
${rows.map((cells) => row(cells, "td")).join("\n")}
</tbody>
</table>`;
}

function attachments({ documents, audio, videos }: Ingredients, links: BodyLinks): string[] {
  const url = (kind: FileKind, { id }: { id: string }) => escaped(links.download(kind, id));
  return [
    ...videos.map((one) => {
      const source = `<source src="${url("videos", one)}" type="video/webm">`;
      return `<figure><video controls width="480">${source}</video></figure>`;
    }),
    ...audio.map((one) => `<figure><audio controls src="${url("audio", one)}"></audio></figure>`),
    ...documents.map((one) => {
      return `<p>For the details: <a href="${url("documents", one)}">${escaped(one.title)}</a>.</p>`;
    }),
  ];
}

function reading({ related }: Ingredients, links: BodyLinks, throws: Dice): string {
  const [url, name] = throws.pick(Object.entries(magazine.externalSites));
  const outside = `<a href="${escaped(url)}" rel="noopener" target="_blank">${name}</a>`;
  const also = related.map(
    ({ slug, title }) => `<a href="${links.view("articles", slug)}">${escaped(title)}</a>`,
  );
  return `<p>See also ${[...also, outside].join(", ")}.</p>`;
}

import type { SharedPicture } from "./pictures.ts";

/** What a page tells programs in the words of schema.org. */
interface Described {
  description: string;
  /** What the page is about: members of schema.org with their "@type". */
  subject?: Record<string, unknown> | undefined;
  image?: SharedPicture | undefined;
  /** From the home page down to this page. */
  crumbs: { title: string; path: string | null }[];
  website: Record<string, unknown>;
}

/**
 * JSON-LD for a `script` element, which browsers do not run.
 *
 * @param addressOf absolute or relative to the page, whose address JSON-LD starts at, too
 */
export function linkedDataOf(page: Described, addressOf: (path: string) => string): string {
  const { crumbs, website } = page;
  const ways = crumbs.filter(({ path }) => path !== null);
  const graph = [
    page.subject && { ...subjectOf(page, page.subject, addressOf), isPartOf: website },
    ways.length === 1 && website,
    ways.length > 1 && {
      "@type": "BreadcrumbList",
      itemListElement: ways.map(({ title, path }, at) => ({
        "@type": "ListItem",
        position: at + 1,
        name: title,
        item: addressOf(path ?? ""),
      })),
    },
  ].filter(Boolean);
  // Inside a script, "</script" would end it, and "<!--" would hide its end.
  return JSON.stringify({ "@context": "https://schema.org", "@graph": graph }).replace(
    /[<>&]/g,
    (char) => `\\u00${char.charCodeAt(0).toString(16)}`,
  );
}

function subjectOf(
  { description, image, crumbs }: Described,
  subject: Record<string, unknown>,
  addressOf: (path: string) => string,
) {
  const path = crumbs.at(-1)?.path ?? "";
  const about = { ...subject, url: addressOf(path), description: description || undefined };
  if (image === undefined) return about;
  const { width, height } = image;
  const picture = { contentUrl: addressOf(image.path), width, height };
  if (subject["@type"] === "ImageObject") return { ...about, ...picture };
  return { ...about, image: { "@type": "ImageObject", url: picture.contentUrl, ...picture } };
}

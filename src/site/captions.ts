import type { Catalogue } from "../catalogue/catalogue.ts";
import { plainMembers } from "../lib/objects.ts";
import type { Media } from "../store/records.ts";
import { readable } from "./plain-text.ts";

/** What the record of an image says below its picture; each part may be empty. */
export interface Caption {
  caption: string;
  credit: string;
}

/** Members of an image's `meta` that name whom a picture is from, in the order of a credit line. */
const creditNames =
  `credit credits creditline byline photographer photo author creator artist source agency
  copyright copyrightnotice`.split(/\s+/);

/** creditOf({ Photographer: "A. Blum", licence: "CC0", copyright: "© Rote Presse" }) → "A. Blum, © Rote Presse" */
export function creditOf(meta: Readonly<Record<string, string>>): string {
  const byName = plainMembers(meta);
  const credits: string[] = [];
  for (const name of creditNames) {
    const credit = oneLine(byName.get(name) ?? "");
    if (credit !== "" && !credits.some((other) => other.includes(credit))) credits.push(credit);
  }
  return credits.join(", ");
}

const recordOf = ({ snapshot }: Catalogue, imageId: string) =>
  (
    snapshot.find("images", "images", imageId) ??
    snapshot.find("images.unlisted", "images", imageId)
  )?.normal;

/** The alternative text of an image; empty where its record says nothing. */
export function altOfImage(catalogue: Catalogue, imageId: string): string {
  const record = recordOf(catalogue, imageId);
  return record === undefined ? "" : altOf(record);
}

export function altOf({ title, caption }: Media): string {
  return readable(title) || readable(caption);
}

export function captionOf(catalogue: Catalogue, imageId: string): Caption {
  const record = recordOf(catalogue, imageId);
  if (record === undefined) return { caption: "", credit: "" };
  const { caption, meta } = record;
  return { caption: oneLine(readable(caption)), credit: readable(creditOf(meta)) };
}

/** The parts that a text does not say already. */
export function unsaid({ caption, credit }: Caption, text: string): Caption {
  const said = oneLine(text);
  return {
    caption: said.includes(caption) ? "" : caption,
    credit: said.includes(credit) || caption.includes(credit) ? "" : credit,
  };
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

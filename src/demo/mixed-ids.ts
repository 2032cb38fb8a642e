import { type Ids, ids } from "./random.ts";

/**
 * Ids in the forms that services use instead of UUIDs in lower case: the document promises UUIDs for
 * some kinds, in whatever spelling, and of images and files it only says "string".
 *
 * Articles have 32 digits without hyphens and galleries 24 digits; organisations and categories
 * have UUIDs in upper case. Two images at a time differ in case alone ("IMG_0007.b", "img_0007.B").
 * Files of every kind are numbered from 1, so that a video and a document share an id.
 */
export function mixedIds(kind: string, seed: number): Ids {
  if (kind === "article") return ids(kind, seed, (uuid) => uuid.replaceAll("-", ""));
  if (kind === "gallery") return ids(kind, seed, (uuid) => uuid.replaceAll("-", "").slice(0, 24));
  if (kind === "image") return { at: imageId, indexOf: imageIndex };
  if (kind === "organisation" || kind === "category") {
    return ids(kind, seed, (uuid) => uuid.toUpperCase());
  }
  return { at: (index) => String(index + 1), indexOf: (id) => wholeNumber(id) };
}

function imageId(index: number): string {
  const name = `IMG_${String(index >> 1).padStart(4, "0")}.b`;
  return index % 2 === 0 ? name : swapped(name);
}

function imageIndex(id: string): number | undefined {
  const number = /^IMG_(\d{4,})\.b$/i.exec(id)?.[1];
  if (number === undefined) return undefined;
  const even = Number(number) * 2;
  return [even, even + 1].find((index) => imageId(index) === id);
}

function swapped(name: string): string {
  return name.replace(/[a-z]/gi, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
}

function wholeNumber(id: string): number | undefined {
  return /^[1-9]\d*$/.test(id) ? Number(id) - 1 : undefined;
}

import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import type { DrawnFile } from "../lib/output.ts";
import { cutPicture, cutSize, drawPoster, shareSize } from "../media/share.ts";
import { sitePaths } from "../routes/site.ts";
import type { SharedPicture } from "./pictures.ts";
import { excerpt, titleClass } from "./plain-text.ts";
import type { Templates } from "./templates.ts";

/** What programs show for a page. */
export interface Face {
  title: string;
  image?: SharedPicture | undefined;
}

interface Website {
  config: Pick<Config, "site">;
  templates: Pick<Templates, "papers">;
}

/** Of a smaller picture, services make a thumbnail beside the words. */
const least = { width: 600, height: 315 };
export const isLarge = ({ width = 0, height = 0 }: Pick<SharedPicture, "width" | "height">) =>
  width >= least.width && height >= least.height;

/** Raise it when the same title gives another picture than before. */
const version = 1;
const lettersOf = { "": 84, long: 64, longest: 52 };
const longestTitle = 140;

/** Programs take absolute addresses only: a website without an address has no pictures of its own for them. */
const makesPictures = ({ config }: Website): boolean =>
  config.site.url !== null && config.site.sharePictures;

/** The picture to share a page with; undefined where it has none. */
export function sharedBy(site: Website, path: string, { title, image }: Face) {
  if (!makesPictures(site)) return image;
  const type = "image/jpeg";
  if (!isCut(image)) return { type, ...shareSize, path: sitePaths.sharePage(path), alt: title };
  return { type, ...cutSize(image), path: sitePaths.shareImage(image.id), alt: image.alt };
}

type CutPicture = SharedPicture & { width: number; height: number; blob: string };
const isCut = (image: SharedPicture | undefined): image is CutPicture =>
  image?.blob !== undefined && isLarge(image);

/** The file of that picture. What is cut from an image belongs to the page of that image. */
export function shareFile(site: Website, path: string, faceOf: () => Face): DrawnFile | undefined {
  if (!makesPictures(site)) return undefined;
  const { title, image } = faceOf();
  const { light: paper, ink } = site.templates.papers;
  const { title: name, accent } = site.config.site;
  const poster = {
    ...{ letters: lettersOf[titleClass(title)], site: excerpt(name, longestTitle) },
    ...{ paper, ink, accent: accent ?? ink },
  };
  const text = excerpt(title, longestTitle);
  const drawn = (_: string, words: string) => drawPoster({ ...poster, title: words });
  if (isCut(image)) {
    if (path !== sitePaths.image(image.id)) return undefined;
    const size = cutSize(image);
    const key = () => keyOf("cut", version, image.blob);
    const draw = (source: string, words: string) =>
      cutPicture(source, size).catch(() => drawn(source, words));
    return { path: sitePaths.shareImage(image.id), key, source: image.blob, text, draw };
  }
  const key = () => keyOf("drawn", version, JSON.stringify([text, poster]));
  return { path: sitePaths.sharePage(path), key, text, draw: drawn };
}

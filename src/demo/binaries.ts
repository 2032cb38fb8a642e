import { mimes } from "mrmime";
import sharp, { type ResizeOptions } from "sharp";
import { type Answer, errorAnswer, matcher } from "./answers.ts";
import { imagePaths, type Links } from "./links.ts";
import type { Content, Image, MediaFile } from "./model.ts";
import type { OriginOptions } from "./options.ts";

/** Answers requests for binaries. The signature alone decides, not a token. Undefined = not the path of a binary. */
export function createBinaries(content: Content, options: OriginOptions, links: Links) {
  const paths = { ...imagePaths, ...options.filePaths };
  const kinds = ["web", "download", "videos", "documents", "audio"] as const;
  const match = matcher(kinds.map((kind) => [paths[kind], kind] as const));
  const failure = (status: number, message: string) => errorAnswer(options, status, message);

  return async (path: string, query: URLSearchParams): Promise<Answer | undefined> => {
    const found = match(path);
    if (!found) return undefined;
    const { value: kind, id } = found;
    const refusal = links.refusal(options.basePath + path, query);
    if (refusal) return failure(403, refusal);
    const file = content[kind === "web" || kind === "download" ? "images" : kind].get(id);
    if (!file) return failure(404, "Not found.");
    if (file.absent) return failure(file.absent, "The file is missing.");
    if (kind !== "web") return original(file, options);
    try {
      const body = await scaleImage(file as Image, query, options);
      return { status: 200, type: "image/jpeg", body, headers: cached };
    } catch {
      return failure(500, "The image cannot be processed.");
    }
  };
}

const cached = { "Cache-Control": "private, max-age=3600" };

async function original(file: Image | MediaFile, { untypedFiles }: OriginOptions): Promise<Answer> {
  const answer = { status: 200, body: await file.read() };
  if (untypedFiles) return { ...answer, type: "application/octet-stream", headers: cached };
  const ending = Object.entries(mimes).find(([, mime]) => mime === file.mime)?.[0] ?? "bin";
  const name = `${file.id}.${file.mime === "image/jpeg" ? "jpg" : ending}`;
  const safe = name.replace(/[^\x20-\x7e]|["\\]/g, "_");
  const headers = { ...cached, "Content-Disposition": `attachment; filename="${safe}"` };
  return { ...answer, type: file.mime, headers };
}

type Size = Pick<Image, "width" | "height">;

/**
 * A JPEG of an image in the size that a query asks for, or of the web version: upright, without metadata, white where
 * it is transparent. Rejects with sharp's error when the original cannot be decoded.
 */
async function scaleImage(image: Image, query: URLSearchParams, options: OriginOptions) {
  return sharp(await image.read(), { failOn: "error" })
    .autoOrient()
    .resize(requestedSize(image, query, options))
    .flatten({ background: "#ffffff" })
    .jpeg({ quality: options.web.quality })
    .toBuffer();
}

/**
 * `thumb` (p, l, anything else = square) goes before width and height, and these before scale; `orientation` names the
 * kind of a thumbnail. What is no positive number is ignored. Rules 1 to 4 of "Image binary retrieval".
 */
function requestedSize(original: Size, query: URLSearchParams, { thumbs, web }: OriginOptions) {
  const thumb = query.get("thumb");
  if (thumb !== null) {
    const kind = thumb === "p" || thumb === "l" ? thumb : query.get("orientation");
    const name = kind === "p" ? "portrait" : kind === "l" ? "landscape" : "square";
    const [width, height] = thumbs[name];
    return bounded(original, width, height, "cover");
  }
  const [width, height, scale] = ["width", "height", "scale"].map((name) => {
    const number = Number(query.get(name)?.trim() || Number.NaN);
    return Number.isFinite(number) && number > 0 ? number : undefined;
  });
  if (width && height) return bounded(original, width, height, "cover");
  if (width) return proportional(original, Math.round(width) / original.width);
  if (height) return proportional(original, Math.round(height) / original.height);
  return proportional(original, scale ? scale / 100 : web.width / original.width);
}

function proportional(original: Size, factor: number): ResizeOptions {
  return bounded(original, original.width * factor, original.height * factor, "fill");
}

/** Each side is limited on its own; "cover" cuts the overhang evenly. */
function bounded(original: Size, width: number, height: number, fit: "cover" | "fill") {
  const side = (most: number, wanted: number) => Math.max(1, Math.min(most, Math.round(wanted)));
  return { width: side(original.width, width), height: side(original.height, height), fit };
}

import { mimes } from "mrmime";
import { matcher } from "./api.ts";
import type { Signer } from "./links.ts";
import { imagePaths } from "./links.ts";
import type { Content, Image } from "./model.ts";
import type { OriginOptions } from "./options.ts";
import { requestedScaling, scaleImage, webScaling } from "./scale.ts";

/** An answer to a request for a binary. */
export type BinaryAnswer =
  | { status: 200; bytes: Buffer; mime: string; fileName?: string }
  | { status: 403 | 404 | 410 | 500; message: string };

/**
 * Answers requests for binaries: images scaled as asked for, originals and other files as they
 * are. The signature alone decides; no token is looked at. Undefined = not the path of a binary.
 */
export function createBinaries(
  content: Content,
  options: OriginOptions,
  signer: Signer,
): (path: string, query: URLSearchParams) => Promise<BinaryAnswer> | undefined {
  const paths = { ...imagePaths, ...options.filePaths };
  const kinds = Object.keys(paths) as (keyof typeof paths)[];
  const match = matcher(kinds.map((kind) => [paths[kind], kind] as const));

  const web = async (image: Image, query: URLSearchParams): Promise<BinaryAnswer> => {
    const scaling =
      requestedScaling(image, query, options.thumbs) ?? webScaling(image, options.web.width);
    try {
      const bytes = await scaleImage(await image.read(), scaling, options.web.quality);
      return { status: 200, bytes, mime: "image/jpeg" };
    } catch {
      return { status: 500, message: "The image cannot be processed." };
    }
  };

  return (path, query) => {
    const found = match(path);
    if (!found) return undefined;
    const { value: kind, id } = found;
    const answer = async (): Promise<BinaryAnswer> => {
      const verdict = signer.check(options.basePath + path, query);
      if (verdict === "bad") return { status: 403, message: "Invalid signature." };
      if (verdict === "expired") return { status: 403, message: "The link has expired." };
      const file = content[kind === "web" || kind === "download" ? "images" : kind].get(id);
      if (!file) return { status: 404, message: "Not found." };
      if (file.absent) return { status: file.absent, message: "The file is missing." };
      if (kind === "web") return web(file as Image, query);
      const bytes = await file.read();
      if (options.untypedFiles) return { status: 200, bytes, mime: "application/octet-stream" };
      const ending = Object.entries(mimes).find(([, mime]) => mime === file.mime)?.[0];
      const fileName = `${id}.${file.mime === "image/jpeg" ? "jpg" : (ending ?? "bin")}`;
      return { status: 200, bytes, mime: file.mime, fileName };
    };
    return answer();
  };
}

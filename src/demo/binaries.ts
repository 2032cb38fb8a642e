import { mimes } from "mrmime";
import { type Answer, errorAnswer, matcher } from "./answers.ts";
import { imagePaths, type Links } from "./links.ts";
import type { Content, Image, MediaFile } from "./model.ts";
import type { OriginOptions } from "./options.ts";
import { scaleImage } from "./scale.ts";

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

import { fileName } from "../lib/foreign.ts";
import { plainMembers } from "../lib/objects.ts";
import { encodeSegment } from "../routes/segments.ts";
import { plainExtension } from "../routes/site.ts";
import type { MediaEntry } from "../store/media.ts";

/** Files that browsers show or play. They save all others. */
const opened =
  /\.(?:pdf|txt|jpe?g|png|gif|webp|avif|mp4|m4v|webm|ogv|mp3|m4a|aac|wav|flac|ogg|oga|opus)$/;
/** What the archive has behind an extension that must not be run. */
const harmless = /\.[a-z0-9]+\.txt$/;

export function opensInBrowsers(path: string): boolean {
  return opened.test(path) && !harmless.test(path);
}

/** Members of a record that name its file; the likeliest first. */
const members = ["filename", "originalfilename", "originalname", "name"];
/** In every script, so many letters are short enough for file systems. */
const maxLetters = 80;
const extensionOf = /\.([a-z0-9]{1,8})$/i;
const equal: Readonly<Record<string, string>> = { jpeg: "jpg", tif: "tiff", htm: "html" };

/**
 * The name to save an original under: what the origin calls its file, in the answer or in the record, unless that is its
 * id, or its title. Its extension is the one that its bytes have, so that no name passes a file off as another.
 */
export function savedNameOf(
  { id, original }: Pick<MediaEntry, "id" | "original">,
  raw: string,
): string {
  const { name } = original;
  const record = plainMembers(JSON.parse(raw) as Record<string, unknown>);
  const paths = [name, ...members.map((member) => record.get(member))].map(textOf);
  const names = paths.map((path) => path.replace(/^.*[/\\]/s, ""));
  const found = [...names, textOf(record.get("title"))]
    .map(fileName)
    .find((one) => one !== "" && !one.startsWith(id));
  return withExtension(found ?? encodeSegment(id), plainExtension(original.extension));
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function withExtension(name: string, extension: string): string {
  const given = extensionOf.exec(name)?.[1]?.toLowerCase() ?? "";
  const isOwn = [given, equal[given]].includes(extension) || (given && extension === "bin");
  const stem = isOwn ? name.slice(0, -given.length - 1) : name;
  const short = Array.from(stem).slice(0, maxLetters).join("").trimEnd();
  return `${short}.${isOwn ? given : extension}`;
}

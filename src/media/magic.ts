import { mimes } from "mrmime";

/** Bytes from both ends of a file, enough to tell its type; for a short file they overlap. */
export interface Ends {
  head: Buffer;
  tail: Buffer;
}

export const endBytes = 64 << 10;

/** Where the table of `mrmime` has no extension, or an unusual one first. */
const extensions: Record<string, string> = {
  "image/jpeg": "jpg",
  "image/tiff": "tiff",
  "image/x-canon-cr3": "cr3",
  "image/vnd.adobe.photoshop": "psd",
  "video/x-matroska": "mkv",
  "video/x-msvideo": "avi",
  "video/mpeg": "mpg",
  "audio/ogg": "ogg",
  "audio/mpeg": "mp3",
  "audio/flac": "flac",
  "application/rtf": "rtf",
  "application/x-7z-compressed": "7z",
  "application/vnd.rar": "rar",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
  "application/vnd.oasis.opendocument.text": "odt",
  "application/vnd.oasis.opendocument.spreadsheet": "ods",
  "application/vnd.oasis.opendocument.presentation": "odp",
  "application/vnd.ms-excel": "xls",
  "application/vnd.ms-powerpoint": "ppt",
  "text/html": "html",
  "text/plain": "txt",
};

/** Signatures at fixed places, as Latin-1 text; the first that fits wins. */
const signatures: readonly [offset: number, bytes: string, type: string][] = [
  [0, "\xff\xd8\xff", "image/jpeg"],
  [0, "\x89PNG\r\n\x1a\n", "image/png"],
  [0, "GIF87a", "image/gif"],
  [0, "GIF89a", "image/gif"],
  [8, "WEBP", "image/webp"],
  [0, "II*\0", "image/tiff"],
  [0, "MM\0*", "image/tiff"],
  [0, "II+\0", "image/tiff"],
  [0, "MM\0+", "image/tiff"],
  [0, "8BPS", "image/vnd.adobe.photoshop"],
  // ISO/IEC 15444-1, Annex I and A.4.1; ISO/IEC 18181-2, 4 and 18181-1.
  [0, "\0\0\0\x0cjP  \r\n\x87\n", "image/jp2"],
  [0, "\xff\x4f\xff\x51", "image/jp2"],
  [0, "\0\0\0\x0cJXL \r\n\x87\n", "image/jxl"],
  [0, "\xff\x0a", "image/jxl"],
  [8, "WAVE", "audio/wav"],
  [8, "AVI ", "video/x-msvideo"],
  [0, "fLaC", "audio/flac"],
  [0, "ID3", "audio/mpeg"],
  [0, "\0\0\x01\xba", "video/mpeg"],
  [0, "\0\0\x01\xb3", "video/mpeg"],
  [0, "{\\rtf", "application/rtf"],
];

const brands: readonly [RegExp, string][] = [
  [/^avi[fs]/, "image/avif"],
  [/^(?:hei[cxms]|hev[cxms]|mif1|msf1)/, "image/heic"],
  [/^qt /, "video/quicktime"],
  [/^M4[ABP] /, "audio/mp4"],
  [/^3g[2gp]/, "video/3gpp"],
  [/^crx /, "image/x-canon-cr3"],
];

/** Types that only the bytes can tell. */
const toldByBytes = new Set([
  ...signatures.map(([, , type]) => type),
  ...brands.map(([, type]) => type),
  ...["image/heif", "image/bmp", "image/svg+xml", "application/pdf", "application/zip"],
]);

/** EPUB and OpenDocument name their type in their zip archive. */
const declared = /mimetype(application\/(?:epub\+zip|vnd\.oasis\.opendocument\.[a-z]+))/;
const office: readonly [string, string][] = [
  ["word/document", "wordprocessingml.document"],
  ["xl/workbook", "spreadsheetml.sheet"],
  ["ppt/presentation", "presentationml.presentation"],
];

/**
 * The type of a file by its bytes; what the server `said`, without parameters, counts only for types that bytes cannot
 * tell. Unknown content is `application/octet-stream`, `bin`.
 */
export function fileTypeOf({ head, tail }: Ends, said: string | undefined) {
  const type = typeByBytes(head, tail, said) ?? typeBySaying(head, said);
  const usual = Object.entries(mimes).find(([, mime]) => mime === type)?.[0];
  return { type, extension: extensions[type] ?? usual ?? "bin" };
}

/** The extension of a name for a file of unknown content; `bin` where it has none, or its bytes would be known. */
export function extensionIn(name = ""): string {
  const found = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? "bin";
  return toldByBytes.has(mimes[found] ?? "") ? "bin" : found;
}

function typeByBytes(head: Buffer, tail: Buffer, said: string | undefined): string | undefined {
  const start = head.toString("latin1", 0, 64);
  for (const [offset, bytes, type] of signatures) {
    if (start.startsWith(bytes, offset)) return type;
  }
  if (start.startsWith("ftyp", 4)) {
    // The major brand can be a general one, such as mif1 for AVIF: the compatible ones are looked at as well.
    const names = head.toString("latin1", 8, Math.min(head.length, head.readUInt32BE(0), 256));
    if (/^(?:mif1|msf1)/.test(names) && /avi[fs]/.test(names)) return "image/avif";
    return brands.find(([brand]) => brand.test(names))?.[1] ?? "video/mp4";
  }
  if (start.startsWith("\x1a\x45\xdf\xa3")) {
    if (said?.startsWith("audio/")) return said;
    return head.includes("webm") ? "video/webm" : "video/x-matroska";
  }
  if (start.startsWith("OggS"))
    return head.includes("\x80theora", 0, "latin1") ? "video/ogg" : "audio/ogg";
  if (start.startsWith("PK\x03\x04")) {
    return zipType(head.toString("latin1") + tail.toString("latin1"), said);
  }
  if (start.startsWith("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) {
    const isNamed = said === "application/vnd.ms-excel" || said === "application/vnd.ms-powerpoint";
    return isNamed ? said : "application/msword";
  }
  if (start.startsWith("BM") && head.length > 14 && head.readUInt32LE(6) === 0) return "image/bmp";
  const root = rootOf(textOf(head));
  if (/^(?:html|head|body|title|script|meta)$/.test(root)) return "text/html";
  if (/^(?:[a-z]+:)?svg$/.test(root)) return "image/svg+xml";
  // Sync word of an MPEG audio frame: layer 0 is AAC in ADTS, the others are MP3 and its elders.
  if (head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0) {
    if (((head[1] ?? 0) & 0xf6) === 0xf0) return "audio/aac";
    if (((head[1] ?? 0) & 0x06) !== 0 && ((head[2] ?? 0xff) & 0xf0) !== 0xf0) return "audio/mpeg";
  }
  if (head.subarray(0, 1024).includes("%PDF-")) return "application/pdf";
  return undefined;
}

function zipType(names: string, said = ""): string {
  const type = declared.exec(names)?.[1];
  if (type !== undefined) return type;
  const kind = office.find(([name]) => names.includes(name))?.[1];
  if (kind !== undefined) return `application/vnd.openxmlformats-officedocument.${kind}`;
  // Some formats are zip files that only their server can name.
  const isNamed = /^application\/.*(?:\+zip|openxml|opendocument|java-archive)/.test(said);
  return isNamed ? said : "application/zip";
}

/** Whether a type says nothing: Amazon S3 has its own word for that. */
export const isUnspecific = (type: string): boolean => type.endsWith("/octet-stream");

function typeBySaying(head: Buffer, said: string | undefined): string {
  const unknown = "application/octet-stream";
  if (said === undefined || isUnspecific(said) || head.length === 0) return unknown;
  // A text in the place of a picture is a message: it has no control characters but those of lines.
  const isText = head.every((byte) => byte >= 0x20 || (byte >= 9 && byte <= 13));
  if (said.startsWith("image/") && isText) return "text/plain";
  // These have signatures, which were not found.
  if (toldByBytes.has(said)) return unknown;
  const textual = said.startsWith("text/") || said === "application/json";
  return textual && head.includes(0) ? unknown : said;
}

/**
 * The first element of a text in HTML or XML, or what its document type names, in lower case; empty for other
 * texts. A pattern could take for ever on a hostile text.
 */
function rootOf(text: string): string {
  for (let at = 0; ; ) {
    while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
    if (text[at] !== "<") return "";
    const end = text.startsWith("<!--", at) ? "-->" : text[at + 1] === "?" ? "?>" : undefined;
    if (end === undefined) {
      const start = text.slice(at + 1, at + 100);
      return (/^(?:!doctype\s+)?([a-z][a-z0-9:-]*)/i.exec(start)?.[1] ?? "").toLowerCase();
    }
    const found = text.indexOf(end, at + 2);
    if (found === -1) return "";
    at = found + end.length;
  }
}

/** The start of a text in UTF-8 or UTF-16; rubbish for binary files. */
function textOf(head: Buffer): string {
  const byMark: Record<string, string> = { fffe: "utf-16le", feff: "utf-16be" };
  return new TextDecoder(byMark[head.toString("hex", 0, 2)]).decode(head);
}

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { nodeDisk } from "../lib/disk.ts";
import { makeFolder, readText, writeFully } from "../lib/files.ts";

/** A signed link, and until when it may be used, in milliseconds since 1970 by the origin's clock. */
const KeptLink = z.object({ kind: z.string(), id: z.string(), url: z.string(), until: z.number() });
export type KeptLink = z.infer<typeof KeptLink>;

/** Signed links on disk, for the run that goes on where this one may be ended. */
export interface LinkFile {
  /** What an earlier run has left. */
  readonly found: readonly KeptLink[];
  /** Hands a link to the operating system: it survives this process. */
  append(link: KeptLink): void;
  close(): void;
}

const cipher = "aes-256-gcm";
const saltBytes = 16;
const ivBytes = 12;
const tagBytes = 16;

/**
 * Opens a file of links that nobody can read who does not have the access token, with which one could ask for them
 * as well: AES-256-GCM, with a key made by HKDF from the token and a salt that is the file's own. It is text: the
 * salt, then a line for each link, all in base64. Nothing is written before the first link. What cannot be read,
 * because it was cut short or belongs to another token, is not there.
 */
export function openLinkFile(path: string, token: string, disk = nodeDisk): LinkFile {
  const text = readText(path) ?? "";
  const [first = "", ...lines] = text.split("\n");
  const known = Buffer.from(first, "base64");
  const whole = known.length === saltBytes;
  const salt = whole ? known : randomBytes(saltBytes);
  const key = Buffer.from(hkdfSync("sha256", token, salt, "signed links", 32));
  const found = whole ? lines.flatMap((line) => decrypted(line, key) ?? []) : [];
  // Of another token, or of another time.
  const useless = found.length === 0;
  let handle: number | undefined;

  function write(line: string): void {
    if (handle === undefined) {
      makeFolder(dirname(path));
      if (useless) rmSync(path, { force: true });
      handle = openSync(path, "a", 0o600);
      if (useless) writeText(handle, salt.toString("base64"));
    }
    // The break comes first, so that a line that was cut short spoils none but itself.
    writeText(handle, `\n${line}`);
  }

  function writeText(to: number, text: string): void {
    writeFully(to, Buffer.from(text), undefined, disk);
  }

  return {
    found,
    append: (link) => write(encrypted(link, key)),
    close() {
      if (handle !== undefined) closeSync(handle);
      handle = undefined;
    },
  };
}

function encrypted(link: KeptLink, key: Buffer): string {
  const iv = randomBytes(ivBytes);
  const coder = createCipheriv(cipher, key, iv, { authTagLength: tagBytes });
  const parts = [iv, coder.update(JSON.stringify(link), "utf8"), coder.final()];
  return Buffer.concat([...parts, coder.getAuthTag()]).toString("base64");
}

/** The link of a line; undefined where it is damaged, or of another key. */
function decrypted(line: string, key: Buffer): KeptLink | undefined {
  const bytes = Buffer.from(line, "base64");
  if (bytes.length < ivBytes + tagBytes) return undefined;
  const iv = bytes.subarray(0, ivBytes);
  const coder = createDecipheriv(cipher, key, iv, { authTagLength: tagBytes });
  coder.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const text = coder.update(bytes.subarray(ivBytes, -tagBytes), undefined, "utf8");
    return KeptLink.parse(JSON.parse(text + coder.final("utf8")));
  } catch {
    return undefined;
  }
}

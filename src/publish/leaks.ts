import { GuardError } from "../errors.ts";
import { mayHoldSignatures, withoutSignatures } from "../lib/secrets.ts";
import { createIdFinder, type Doubt, nobody } from "../mirror/held.ts";

/** What must not stand in any published file. */
export interface Canaries {
  /** Access tokens. */
  tokens: readonly string[];
  /** Ids of images that are not published; those are looked for that can be told from words and numbers. */
  ids: ReadonlySet<string>;
  /** What else is taken for the id of such an image. */
  doubt?: Doubt | undefined;
  /** Whether the bytes of a blob belong to images that are not published, and to nothing that is. */
  isHeldBlob(digest: string): boolean;
}

/** The last look at everything that goes out: it refuses what no emitter should have let through. */
export interface LeakGuard {
  /** Digest of the ids that are looked for: another one means that files of the last build must be looked at again. */
  readonly idsKey: string;
  /** A rendered text with the nil UUID in the place of ids that must not be named. */
  withoutIds<T extends string | Uint8Array>(content: T): T | string;
  /** Whether a text that was published under another guard may have to say something else under this one. */
  mayDiffer(published: string): boolean;
  /** @throws GuardError that names the file and what it would give away, never the secret itself */
  checkText(path: string, content: string | Uint8Array): void;
  /** @throws GuardError where the blob is a file of an image that is not published */
  checkBlob(path: string, digest: string): void;
}

export function createLeakGuard({ tokens, ids, doubt, isHeldBlob }: Canaries): LeakGuard {
  const spellings = [...new Set(tokens.flatMap(spellingsOf))];
  const held = createIdFinder(ids, doubt);

  function leakIn(path: string, text: string): string | undefined {
    for (const spelling of spellings) if (text.includes(spelling)) return "the access token";
    if (mayHoldSignatures.test(text) && withoutSignatures(text) !== text) return "a signed link";
    return namesHeld(text) || namesHeld(path)
      ? "the id of an image that is not published"
      : undefined;
  }

  const namesHeld = (text: string): boolean => held.idsIn(text).length > 0;

  return {
    idsKey: held.key,
    withoutIds: (content) => (typeof content === "string" ? held.withoutIds(content) : content),
    mayDiffer: (published) => namesHeld(published) || published.includes(nobody),
    checkText(path, content) {
      // Every spelling is ASCII, for which it does not matter how the bytes beside it are read.
      const text = typeof content === "string" ? content : Buffer.from(content).toString("latin1");
      const leak = leakIn(path, text);
      if (leak === undefined) return;
      throw new GuardError(`${path} would contain ${leak}`, {
        hint: "nothing was published; look for it in the origin's content",
      });
    },
    checkBlob(path, digest) {
      if (!isHeldBlob(digest) && !namesHeld(path)) return;
      throw new GuardError(`${path} would be a file of an image that is not published`, {
        hint: "nothing was published; this is a bug in stillpress",
      });
    },
  };
}

/**
 * How a secret can stand in a file: as it is; as JSON, HTML and URLs write it; and within something that is encoded
 * in base64, whatever stands before it there.
 */
export function spellingsOf(secret: string): string[] {
  if (secret === "") return [];
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret);
  return [
    ...new Set([
      secret,
      json,
      json.replaceAll("/", "\\/"),
      percent,
      percent.replace(/%../g, (code) => code.toLowerCase()),
      inHtml(secret, { '"': "&quot;", "'": "&#39;" }),
      inHtml(secret, { '"': "&#34;", "'": "&#x27;" }),
      inHtml(secret, { '"': '"', "'": "'" }),
      ...inBase64(secret),
    ]),
  ];
}

function inHtml(text: string, quotes: Record<string, string>): string {
  const named: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", ...quotes };
  return text.replace(/[&<>"']/g, (character) => named[character] as string);
}

/** Fewer characters of base64 than these could stand anywhere. */
const shortestBase64 = 12;

/** The characters that only the secret decides, for each of the three places where it can begin in a group of bytes. */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((offset) => {
    const whole = Math.floor((offset + bytes.length) / 3) * 4;
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const sure = text.slice(offset === 0 ? 0 : 4, whole);
    if (sure.length < shortestBase64) return [];
    return [sure, sure.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

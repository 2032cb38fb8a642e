import type { Unsigner } from "../api/signatures.ts";
import { createIdFinder, type UnprovedIds } from "../catalogue/id-finder.ts";
import { GuardError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import { readingsOf } from "../lib/escapes.ts";
import { createTokenFinder, tokenCutter } from "../lib/token.ts";
import { firstDifference } from "../lib/words.ts";

/** What no published file may hold. */
export interface Canaries {
  tokens: readonly string[];
  /** Ids of images that may not be shown; only those count that can be told from words and numbers. */
  ids: ReadonlySet<string>;
  /** Names of other items that are not shown. */
  withheld?: readonly string[];
  /** What else is taken for the id of such an image. */
  unproved?: UnprovedIds | undefined;
  /** Whether the bytes of a blob belong to images that may not be shown, and to nothing that may. */
  isUnshownBlob(digest: string): boolean;
}

/** The last look at everything that goes out: it refuses what no emitter should have let through. */
export type LeakGuard = ReturnType<typeof createLeakGuard>;

/** Characters before a leak that a message shows. */
const excerptLength = 100;

/** @param clean cuts out signed links; undefined where no text can hold one */
export function createLeakGuard(
  { tokens, ids, withheld = [], unproved, isUnshownBlob }: Canaries,
  { clean }: Pick<Unsigner, "clean"> = { clean: (text) => text },
) {
  const searches = [...new Set(tokens)].map((token) => {
    return { finder: createTokenFinder(token), cut: tokenCutter(token) };
  });
  const unshown = createIdFinder(ids, unproved);

  /** What a file would give away, and where in its text that begins; 0 where it is in its path. */
  function leakIn(path: string, text: string): { what: string; at: number } | undefined {
    for (const { finder, cut } of searches) {
      if (!finder.mayName(text)) continue;
      // In the text of JSON, an escape such as that of a line break can look like a letter of the token.
      const leaks = path.endsWith(".json") ? cut(text) !== text : finder.indexIn(text) !== -1;
      if (leaks) return { what: "the access token", at: Math.max(0, finder.indexIn(text)) };
    }
    const unsigned = clean(text);
    if (unsigned !== text) return { what: "a signed link", at: firstDifference(text, unsigned) };
    const [id] = unshown.idsIn(text);
    if (id === undefined && !namesUnshown(path)) return undefined;
    const at = id === undefined ? 0 : text.indexOf(id);
    return { what: "the id of something that is not published", at };
  }

  /** What a file of the origin would give away; nobody may change it. */
  function secretIn(text: string): string | undefined {
    const namesToken = (one: string) => searches.some(({ finder }) => finder.indexIn(one) !== -1);
    const isEscaped = [...readingsOf(text)].some((reading) => namesToken(reading.text));
    return isEscaped ? "the access token" : leakIn("", text)?.what;
  }

  /** A text without anything that must not be published. */
  function masked(text: string): string {
    const withoutTokens = searches.reduce((left, { finder }) => finder.without(left), clean(text));
    return unshown.withoutIds(withoutTokens);
  }

  const namesUnshown = (text: string): boolean => unshown.idsIn(text).length > 0;

  return {
    /** Digest of all that is not shown. If it changes, files of the last build must be checked again. */
    idsKey: keyOf(unshown.key, [...withheld]),
    /** A rendered text with the nil UUID in the place of ids that must not be named. */
    withoutIds: unshown.withoutIds,
    /** A rendered text without what signs a link. */
    unsigned: clean,
    secretIn,
    /** Whether `checkText` would throw. */
    refuses: (path: string, text: string) => leakIn(path, text) !== undefined,
    /** @throws GuardError that names the file and what it would give away, never the secret itself */
    checkText(path: string, content: string | Uint8Array) {
      // Every spelling is ASCII, for which it does not matter how the bytes beside it are read.
      const text = typeof content === "string" ? content : Buffer.from(content).toString("latin1");
      const leak = leakIn(path, text);
      if (leak === undefined) return;
      const before = masked(text.slice(0, leak.at)).replace(/\s+/g, " ").slice(-excerptLength);
      const where = before === "" ? "" : ` (it follows ${JSON.stringify(before)})`;
      throw new GuardError(`${masked(path)} would contain ${leak.what}`, {
        hint: `nothing was published; remove it from the content at the origin${where} and crawl again`,
      });
    },
    /** @throws GuardError where the blob is a file of an image that is not published */
    checkBlob(path: string, digest: string) {
      if (!isUnshownBlob(digest) && !namesUnshown(path)) return;
      throw new GuardError(`${path} would be a file of something that is not published`, {
        hint: "nothing was published; this is a bug in stillpress",
      });
    },
  };
}

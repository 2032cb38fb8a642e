import { smallest } from "../lib/many.ts";
import { mayHoldSignatures, withoutSignatures } from "../lib/secrets.ts";
import { hostnameOf, percentDecoded } from "../lib/urls.ts";

const expiry = /[?&]expires=/i;
const signature = /[?&]signature=([^&#]+)/i;

/** Members that the service fills with the addresses of files, with or without an object in their place. */
const ofFiles =
  /^(?:links?|files?|src|href|sources?|original|download|thumbnails?|web|(?:\w+_)?ur[il])$/i;
/** What an author may fill as he likes, whatever stands below it. */
const ofAuthors = /^(?:view|meta)$/;
const ofNames = /^(?:id|slug|tags)$/;

/** What a member of an answer is. Only addresses of files teach signatures: a text may look like one. */
type Place = "text" | "author" | "name" | "file" | "links";

function placeIn(above: Place, name: string): Place {
  if (above === "author" || ofAuthors.test(name)) return "author";
  if (name === "links") return "links";
  if (above === "links" || above === "file") return above;
  if (ofNames.test(name)) return "name";
  return ofFiles.test(name) ? "file" : "text";
}

/** Cuts what signs a link out of texts of the service. */
export type Unsigner = ReturnType<typeof createUnsigner>;

/** What an unsigner has learned, as plain data. */
export interface LearnedSignatures {
  hosts: readonly string[];
  ends: readonly string[];
  lengths: readonly number[];
  names: readonly string[];
}

const nothing: LearnedSignatures = { hosts: [], ends: [], lengths: [], names: [] };

/**
 * @param origin whose URLs are the service's; so are those of the hosts of learned signed links
 * @param learned what another one has learned
 */
export function createUnsigner(
  origin: { baseUrl: string; allowHosts: readonly string[] },
  learned = nothing,
) {
  const own = [new URL(origin.baseUrl).host, ...origin.allowHosts].map(hostnameOf);
  const hosts = new Set([...own, ...learned.hosts]);
  const signatures = createSignatures(learned);

  function learn(value: unknown, place: Place): void {
    if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        learn(member, Array.isArray(value) ? place : placeIn(place, name));
      }
    } else if (typeof value === "string" && place === "name") signatures.never(value);
    else if (typeof value === "string" && (place === "links" || place === "file")) {
      const [, secret] = signature.exec(value) ?? [];
      if (secret === undefined || !expiry.test(value) || /\s/.test(value)) return;
      if (!URL.canParse(value, origin.baseUrl)) return;
      const { hostname } = new URL(value, origin.baseUrl);
      if (place === "links") hosts.add(hostname);
      if (hosts.has(hostname)) signatures.add(secret);
    }
  }

  return {
    /** Notes the hosts and the signatures of the links to files in an answer, and names that are no signatures. */
    learn: (answer: unknown): void => learn(answer, "text"),
    /** Whether `clean` may change a string, as JSON writes it. */
    concerns: (text: string): boolean => mayHoldSignatures.test(text) || signatures.stand(text),
    /**
     * The text without `expires` and `signature` in every URL of the service, and with a mark in the place of every
     * learned signature. Everything else stays, byte for byte. A text that was cleaned stays as it is.
     *
     * clean("https://o.test/1.jpg?expires=9&thumb=1&signature=ab") → "https://o.test/1.jpg?thumb=1"
     */
    clean(text: string): string {
      let [left, before] = [text, ""];
      // A mark can reveal a link, and a link that was cut another signature. Each round takes something away.
      while (left !== before) {
        before = left;
        left = signatures.without(withoutSignatures(before, hosts));
      }
      return left;
    },
    /** The hosts whose URLs are cut. */
    hosts: (): readonly string[] => [...hosts],
    learned: (): LearnedSignatures => ({ hosts: [...hosts], ...signatures.known() }),
  };
}

/** Shorter ones could be words; no signature has as many letters as would overflow the stack of the expression. */
const longWord = /[\w-]{16,65536}/g;
/** Of longer signatures the end is enough. */
const maxLength = 64;
const codesOfWords = Array.from({ length: 128 }, (_, code) =>
  /[\w-]/.test(String.fromCharCode(code)),
);
const isInWord = (text: string, at: number): boolean => codesOfWords[text.charCodeAt(at)] === true;

/** Above this, the oldest are forgotten. */
const maxSignatures = 200_000;

/** Whether a word could be a slug, a number or a word of a language. Signatures are hexadecimal, or mix cases. */
function isReadable(word: string): boolean {
  if (/^[0-9a-f]+$/i.test(word)) return !/[a-df]/i.test(word);
  if (!/[a-z]/.test(word) || !/[A-Z]/.test(word)) return true;
  const changes = word.match(/[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g) ?? [];
  return changes.length < word.length / 5;
}

/** The end of the longest word of a signature, by which it is found; undefined where other texts may have it. */
function endOf(signature: string): string | undefined {
  const words = percentDecoded(signature).match(longWord) ?? [];
  const [longest = ""] = words.sort((a, b) => b.length - a.length);
  // A copy: a part of a text would keep the whole text in memory.
  return isReadable(longest) ? undefined : Buffer.from(longest.slice(-maxLength)).toString();
}

/** The signatures seen in a run, kept in memory only, for texts in which they stand outside of a URL. */
function createSignatures(known: Omit<LearnedSignatures, "hosts">) {
  const ends = new Set(known.ends);
  /** Of ids and slugs that look like signatures. */
  const names = new Set(known.names);
  const lengths = [...known.lengths];
  // What stands before a signature in a word may belong to an escape.
  const lengthAt = (text: string, start: number, end: number): number =>
    lengths.find((length) => end - length >= start && ends.has(text.slice(end - length, end))) ?? 0;

  /** The signatures at the end of words, from the last one of a word to the first. */
  function* places(text: string): Generator<{ start: number; end: number }> {
    const least = smallest(lengths);
    // A long word covers one of these places; most places of a text need not be looked at.
    for (let at = least - 1; at < text.length; at += least) {
      if (!isInWord(text, at)) continue;
      let [start, end] = [at, at + 1];
      while (isInWord(text, end)) end++;
      while (isInWord(text, start - 1)) start--;
      at = end;
      for (let length = 1; length > 0; end -= length) {
        length = lengthAt(text, start, end);
        if (length > 0) yield { start: end - length, end };
      }
    }
  }

  return {
    add(signature: string): void {
      const end = endOf(signature);
      if (end === undefined || names.has(end)) return;
      if (!lengths.includes(end.length)) lengths.push(end.length);
      ends.add(end);
      if (ends.size > maxSignatures) ends.delete(ends.values().next().value as string);
    },
    /** Keeps what is an id or a slug from being taken for a signature. */
    never(name: string): void {
      const end = endOf(name);
      if (end === undefined) return;
      names.add(end);
      ends.delete(end);
    },
    known: () => ({ ends: [...ends], lengths, names: [...names] }),
    stand: (text: string): boolean => places(text).next().done === false,
    /** The text with a mark in the place of each of them. */
    without(text: string): string {
      let out = "";
      let copied = 0;
      for (const { start, end } of [...places(text)].sort((a, b) => a.start - b.start)) {
        out += `${text.slice(copied, start)}[signature]`;
        copied = end;
      }
      return out + text.slice(copied);
    },
  };
}

import { mayHoldSignatures, withoutSignatures } from "../lib/secrets.ts";
import { hostnameOf, percentDecoded } from "../lib/urls.ts";

const expiry = /[?&]expires=/i;
const signature = /[?&]signature=([^&#]+)/i;

/** Cuts what signs a link out of texts of the service. */
export type Unsigner = ReturnType<typeof createUnsigner>;

/** @param origin whose URLs are the service's; so are those of the hosts of learned signed links */
export function createUnsigner(origin: { baseUrl: string; allowHosts: readonly string[] }) {
  const hosts = new Set([new URL(origin.baseUrl).host, ...origin.allowHosts].map(hostnameOf));
  const signatures = createSignatures();

  function learn(value: unknown, inLinks: boolean): void {
    if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        learn(member, inLinks || name === "links");
      }
    }
    if (typeof value !== "string" || /\s/.test(value)) return;
    const [, secret] = signature.exec(value) ?? [];
    if (secret === undefined || !URL.canParse(value, origin.baseUrl)) return;
    const { hostname } = new URL(value, origin.baseUrl);
    if (inLinks && expiry.test(value)) hosts.add(hostname);
    if (hosts.has(hostname)) signatures.add(secret);
  }

  return {
    /** Notes the hosts and the signatures of the signed links in an answer. */
    learn: (answer: unknown): void => learn(answer, false),
    /** Whether `clean` may change a string, as JSON writes it. */
    concerns: (text: string): boolean => mayHoldSignatures.test(text) || signatures.stand(text),
    /**
     * The text without `expires` and `signature` in every URL of the service, and with a mark in the place of every
     * learned signature. Everything else stays, byte for byte.
     *
     * clean("https://o.test/1.jpg?expires=9&thumb=1&signature=ab") → "https://o.test/1.jpg?thumb=1"
     */
    clean: (text: string): string => signatures.without(withoutSignatures(text, hosts)),
    /** The hosts whose URLs are cut. */
    hosts: (): readonly string[] => [...hosts],
  };
}

/** Shorter ones could be words; millions of letters in a row would overflow the stack of the expression. */
const longWord = /[\w-]{16,65536}/g;
/** Of longer signatures the end is enough. */
const maxLength = 64;
const codesOfWords = Array.from({ length: 128 }, (_, code) =>
  /[\w-]/.test(String.fromCharCode(code)),
);
const isInWord = (text: string, at: number): boolean => codesOfWords[text.charCodeAt(at)] === true;

/** Above this, the oldest are forgotten. */
const maxSignatures = 200_000;

/** The signatures seen in a run, kept in memory only, for texts in which they stand outside of a URL. */
function createSignatures() {
  const ends = new Set<string>();
  const lengths: number[] = [];
  // What stands before a signature in a word may belong to an escape.
  const lengthIn = (word: string): number =>
    lengths.find((length) => ends.has(word.slice(-length))) ?? 0;
  function stand(text: string): boolean {
    const least = Math.min(...lengths);
    // A long word covers one of these places; most places of a text need not be looked at.
    for (let at = least - 1; at < text.length; at += least) {
      if (!isInWord(text, at)) continue;
      let end = at + 1;
      while (isInWord(text, end)) end++;
      let start = at;
      while (isInWord(text, start - 1)) start--;
      if (lengthIn(text.slice(start, end)) > 0) return true;
      at = end;
    }
    return false;
  }

  return {
    add(signature: string): void {
      const words = percentDecoded(signature).match(longWord) ?? [];
      const [longest = ""] = words.sort((a, b) => b.length - a.length);
      // Without any other letter it could be a number.
      if (!/[a-df-z]/i.test(longest)) return;
      // A copy: a part of a text would keep the whole text in memory.
      const end = Buffer.from(longest.slice(-maxLength)).toString();
      if (!lengths.includes(end.length)) lengths.push(end.length);
      ends.add(end);
      if (ends.size > maxSignatures) ends.delete(ends.values().next().value as string);
    },
    stand,
    /** The text with a mark in the place of each of them. */
    without: (text: string): string =>
      stand(text)
        ? text.replace(longWord, (word) => {
            const length = lengthIn(word);
            return length === 0 ? word : `${word.slice(0, -length)}[signature]`;
          })
        : text,
  };
}

import { isUtf8 } from "node:buffer";
import { codingOf, type Sink, tooLarge, typeOf, unpack } from "./body.ts";
import { AttemptError } from "./failure.ts";
import type { Head } from "./transfer.ts";

/** An answer in JSON: the text as it came, and what JSON.parse makes of it. */
export interface JsonAnswer {
  text: string;
  value: unknown;
  /** Whether it had bytes that are not UTF-8; they become U+FFFD, as browsers show them. */
  damaged: boolean;
  headers: Head["headers"];
  /** Of the body as it travelled. */
  bytes: number;
}

/** What should be JSON is a page for people, such as one that tells of maintenance. */
export class WebPage extends SyntaxError {}

/** The API's own answers have about six; far deeper ones would overflow the stack. */
const maxLevels = 128;

/**
 * Collects an answer in JSON, compressed or not.
 *
 * @param maxBytes of the body as it travels, and once more when it is unpacked
 * @param clean what to make of the text before it is read
 * @throws AttemptError, as its methods do, when the answer is larger, damaged, nested too deeply, or no JSON
 */
export function jsonSink(
  head: Head,
  maxBytes: number,
  clean: (text: string) => string,
): Sink<JsonAnswer> {
  const coding = codingOf(head);
  const pieces: Buffer[] = [];
  let bytes = 0;
  return {
    take(piece) {
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLarge("answer", head, maxBytes);
      pieces.push(piece);
    },
    async finish() {
      const body = Buffer.concat(pieces, bytes);
      const content =
        coding === undefined || bytes === 0
          ? body
          : await unpack(body, coding, maxBytes, tooLarge("answer", head, maxBytes));
      const text = clean(new TextDecoder().decode(content));
      const value = parse(text, head);
      if (nestsDeeper(value, maxLevels)) {
        const message = `answer is nested deeper than ${maxLevels} levels`;
        throw new AttemptError(message, { status: head.status, final: true });
      }
      return { text, value, bytes, damaged: !isUtf8(content), headers: head.headers };
    },
    abandon() {},
  };
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => nestsDeeper(inner, levels - 1));
}

function parse(text: string, head: Head): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // An answer cut short by a proxy looks like this too, so it is worth another attempt.
    const web = typeOf(head) === "text/html" || /^\s*<(?:!doctype|html)\b/i.test(text);
    throw new AttemptError(web ? "answer is a web page, not JSON" : "answer is not JSON", {
      cause: web ? new WebPage("a web page", { cause }) : cause,
      hint: web ? "check origin.baseUrl: it must be the address of the API" : undefined,
    });
  }
}

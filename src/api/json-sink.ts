import { isUtf8 } from "node:buffer";
import { exitCodes } from "../errors.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { codingOf, labelOf, type Sink, typeOf, unpack } from "./body.ts";
import { AttemptError } from "./failure.ts";
import { headerOf } from "./headers.ts";
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
 * @param limits bytes of the body as it travels, and once more when it is unpacked; values in it
 * @param clean what to make of the text before it is read
 * @throws AttemptError, as its methods do, when the answer is larger, damaged, nested too deeply, or no JSON
 */
export function jsonSink(
  head: Head,
  { maxBytes, maxValues }: { maxBytes: number; maxValues: number },
  clean: (text: string) => string,
): Sink<JsonAnswer> {
  const { status } = head;
  const overLimit = (message: string): AttemptError =>
    new AttemptError(message, { status, final: true, exitCode: exitCodes.gaps });
  const tooMuch = overLimit(`answer is above ${maxBytes} bytes`);
  const pieces: Buffer[] = [];
  let bytes = 0;
  return {
    take(piece) {
      bytes += piece.length;
      if (bytes > maxBytes) throw tooMuch;
      pieces.push(piece);
    },
    async finish() {
      const body = Buffer.concat(pieces, bytes);
      const unpacked = await unpackLabelled(body, head, { most: maxBytes, tooLong: tooMuch });
      const content = inUtf8(unpacked, head);
      const { values, levels } = measured(content);
      if (values > maxValues) {
        throw overLimit(`answer has ${values} values, above crawl.limits.values (${maxValues})`);
      }
      if (levels > maxLevels) {
        const message = `answer is nested deeper than ${maxLevels} levels`;
        throw new AttemptError(message, { status, final: true });
      }
      const text = clean(new TextDecoder().decode(content));
      const value = parse(text, head);
      return { text, value, bytes, damaged: !isUtf8(content), headers: head.headers };
    },
  };
}

/** A label can be wrong: what is not compressed is taken as it is. */
async function unpackLabelled(
  body: Buffer,
  head: Head,
  { most, tooLong }: { most: number; tooLong: AttemptError },
): Promise<Buffer> {
  const label = labelOf(head);
  const isPlain = body.length === 0 || jsonStart.test(body.toString("latin1", 0, 99));
  // What Brotli makes may begin as JSON does.
  if (isPlain && label !== "br") return body;
  const coding = codingOf(label, head);
  if (coding === undefined) return body;
  return await unpack(body, coding, most, tooLong).catch((error: unknown) => {
    if (isPlain && error !== tooLong) return body;
    throw error;
  });
}

const jsonStart = /^(?:\xef\xbb\xbf)?[ \t\r\n]*[[{]/;

/**
 * A text in UTF-8: JSON between systems must be that (RFC 8259, 8.1), but is not always. UTF-16 begins with a mark;
 * another charset counts where it is named and the bytes are not UTF-8.
 */
function inUtf8(body: Buffer, { headers }: Head): Buffer {
  const [, named] = /;\s*charset="?([\w.:-]+)/i.exec(headerOf(headers, "content-type") ?? "") ?? [];
  const marks: Record<string, string> = { fffe: "utf-16le", feff: "utf-16be" };
  const charset = marks[body.toString("hex", 0, 2)] ?? (isUtf8(body) ? undefined : named);
  const decoder = charset && orUndefined(() => new TextDecoder(charset));
  return decoder ? Buffer.from(decoder.decode(body)) : body;
}

/** Values and levels of a JSON text, before JSON.parse makes of each two bytes an object that takes some hundred. */
function measured(json: Uint8Array): { values: number; levels: number } {
  let [values, level, levels] = [1, 0, 0];
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case 0x22: // "
        for (at++; at < json.length && json[at] !== 0x22; at++) if (json[at] === 0x5c) at++;
        break;
      case 0x2c: // ,
        values++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values++;
        levels = Math.max(levels, ++level);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        level--;
    }
  }
  return { values, levels };
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

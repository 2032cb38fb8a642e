import { createHash } from "node:crypto";
import { append } from "../lib/many.ts";
import { linesOf } from "../lib/pieces.ts";
import type { TargetObject } from "../targets/target.ts";

/**
 * A list as an object: a head, lines, and a last line with the SHA-256 of all before it. No cache may keep it.
 *
 * @param lines with their ends
 */
export function summedObject(key: string, head: object, lines: Iterable<Buffer>): TargetObject {
  const content: Uint8Array[] = [Buffer.from(`${JSON.stringify(head)}\n`)];
  append(content, lines);
  content.push(Buffer.from(`${JSON.stringify({ sum: digestOf(content) })}\n`));
  const bytes = content.reduce((total, { length }) => total + length, 0);
  const headers = { "Content-Type": "application/x-ndjson", "Cache-Control": "no-store" };
  return { key, bytes, sha256: digestOf(content), headers, content };
}

function digestOf(pieces: readonly Uint8Array[]): string {
  const sum = createHash("sha256");
  for (const piece of pieces) sum.update(piece);
  return sum.digest("hex");
}

/** Reads such a list as a stream. Returns its head. @throws SyntaxError where it is not what its sum says */
export async function readSummed(
  body: AsyncIterable<Uint8Array>,
  take: (line: Buffer) => void,
): Promise<unknown> {
  const sum = createHash("sha256");
  let head: Buffer | undefined;
  let last: Buffer | undefined;
  for await (const line of linesOf(body)) {
    if (last !== undefined) {
      if (head === undefined) head = last;
      else take(last);
      sum.update(last).update("\n");
    }
    last = Buffer.from(line);
  }
  const said = JSON.parse(String(last)) as { sum?: unknown };
  if (said.sum !== sum.digest("hex")) throw new SyntaxError("its sum does not match");
  return JSON.parse(String(head));
}

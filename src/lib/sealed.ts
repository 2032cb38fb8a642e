import { StoreError } from "../errors.ts";
import { sha256 } from "./digest.ts";
import { nodeDisk } from "./disk.ts";
import { readText, writeDurably } from "./files.ts";

/** The end of a sealed document. */
const seal = /"sum": "([0-9a-f]{64})"\n\}\n$/;
/** Half a seal, so that a damaged document is not taken for an unsealed one. */
const trace = /"sum": "|[0-9a-f]{64}"/;
const emptySum = '"sum": ""\n}';

/**
 * A JSON document that ends in the SHA-256 of the text before it.
 *
 * sealed({ a: 1 }) → '{\n "a": 1,\n "sum": "0f3c…"\n}\n'
 */
export function sealed<T extends object>(value: T & { sum?: never }): string {
  const text = JSON.stringify({ ...value, sum: "" }, null, 1).slice(0, -emptySum.length);
  return `${text}"sum": "${sha256(text)}"\n}\n`;
}

/**
 * The value of a sealed document, without its sum, or of a document from before there were seals.
 *
 * @throws SyntaxError where it is no JSON, or its sum is not that of its text
 */
export function unseal(text: string): unknown {
  const found = seal.exec(text);
  if (found === null) {
    if (trace.test(text)) throw new SyntaxError("its seal is damaged");
    return JSON.parse(text);
  }
  if (sha256(text.slice(0, found.index)) !== found[1]) {
    throw new SyntaxError("its checksum does not match");
  }
  const { sum: _, ...value } = JSON.parse(text) as Record<string, unknown>;
  return value;
}

/** The value of a file with a sealed document; undefined where there is no file. @throws StoreError where it is damaged */
export function readSealed<T>(path: string, parse: (value: unknown) => T, disk = nodeDisk) {
  const text = readText(path, disk);
  try {
    return text === undefined ? undefined : parse(unseal(text));
  } catch (cause) {
    throw new StoreError(`${path} is damaged`, { cause, hint: 'run "stillpress repair"' });
  }
}

/** Replaces a file durably by a sealed document, unless it has that already. */
export function writeSealed(path: string, value: object): void {
  const text = sealed(value);
  if (readText(path) !== text) writeDurably(path, text);
}

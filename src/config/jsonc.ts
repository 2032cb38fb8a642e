import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { ConfigError } from "../errors.ts";
import type { ConfigIssue } from "./issues.ts";

const syntax: Record<string, string> = {
  InvalidSymbol: "expected a value: a text in double quotes, a number, { or [",
  InvalidNumberFormat: "expected a number",
  PropertyNameExpected: "expected a key in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected a colon after the key",
  CommaExpected: "expected a comma",
  CloseBraceExpected: "expected }",
  CloseBracketExpected: "expected ]",
  EndOfFileExpected: "expected nothing more after the last }",
  UnexpectedEndOfComment: "expected the end of the comment",
  UnexpectedEndOfString: "expected the closing quote of the text",
  InvalidUnicode: "expected four hexadecimal digits after \\u",
  InvalidEscapeCharacter: "expected another character after the backslash",
  InvalidCharacter: "expected no control character in a text",
};

/**
 * The tree of a JSON text with comments and trailing commas.
 *
 * @throws ConfigError with file, line and column where it is no JSON object
 */
export function parseJsonc(file: string, text: string): Node {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const message = syntax[printParseErrorCode(error.error)] ?? "expected JSON";
    throw new ConfigError(`${file}:${lineAndColumn(text, error.offset)}: ${message}`, {
      hint: "a configuration is JSON; comments and trailing commas are allowed",
    });
  }
  if (tree?.type !== "object") throw new ConfigError(`${file}: expected a JSON object`);
  return tree;
}

/** Mistakes that the values no longer show: keys that stand twice, of which the last one would win. */
export function* keyIssues(node: Node): Generator<ConfigIssue> {
  const seen = new Set<string>();
  for (const child of node.children ?? []) {
    const [key, value] = child.type === "property" ? (child.children ?? []) : [undefined, child];
    if (key !== undefined) {
      const name = String(key.value);
      if (seen.has(name)) yield { path: pathOf(key), message: "expected this key once" };
      seen.add(name);
    }
    if (value !== undefined) yield* keyIssues(value);
  }
}

/** Key path of the property that a key node belongs to. */
function pathOf(key: Node): PropertyKey[] {
  const path: PropertyKey[] = [];
  for (let node = key.parent; node !== undefined; node = node.parent) {
    if (node.type === "property") path.unshift(String(node.children?.[0]?.value));
    const above = node.parent;
    if (above?.type === "array") path.unshift(above.children?.indexOf(node) ?? 0);
  }
  return path;
}

/** `line:column`, counted from 1. */
export function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return `${before.length}:${(before.at(-1) as string).length + 1}`;
}

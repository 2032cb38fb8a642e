import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { ConfigError } from "../errors.ts";

/**
 * The tree of a JSON text with comments and trailing commas.
 *
 * @throws ConfigError with the place where it is no JSON object, or has a key twice
 */
export function parseJsonc(file: string, text: string): Node {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const name = printParseErrorCode(error.error);
    const message = name.replace(/\B[A-Z]/g, " $&").toLowerCase();
    throw new ConfigError(`${file}:${lineAndColumn(text, error.offset)}: ${message}`, {
      hint: "a configuration is JSON; comments and trailing commas are allowed",
    });
  }
  if (tree?.type !== "object") throw new ConfigError(`${file}: expected a JSON object`);
  refuseRepeatedKeys(tree, (key) => `${file}:${lineAndColumn(text, key.offset)}`);
  return tree;
}

function refuseRepeatedKeys({ children = [] }: Node, placeOf: (key: Node) => string): void {
  const names = new Set<string>();
  for (const child of children) {
    const key = child.type === "property" ? child.children?.[0] : undefined;
    if (key !== undefined && names.has(key.value)) {
      throw new ConfigError(`${placeOf(key)}: the key "${key.value}" stands here again`, {
        hint: "keep one of them",
      });
    }
    if (key !== undefined) names.add(key.value);
    refuseRepeatedKeys(child, placeOf);
  }
}

/** `line:column`, counted from 1. */
export function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return `${before.length}:${(before.at(-1) as string).length + 1}`;
}

import { type Node, parseTree, printParseErrorCode, visit } from "jsonc-parser";
import { ConfigError } from "../errors.ts";

const options = { allowTrailingComma: true };

/**
 * The tree of a JSON text with comments and trailing commas.
 *
 * @throws ConfigError with the place where it is no JSON object, or has a key twice
 */
export function parseJsonc(file: string, text: string): Node {
  const keys = new Set<string>();
  const refuse = (line: number, column: number, message: string, hint: string): never => {
    throw new ConfigError(`${file}:${line + 1}:${column + 1}: ${message}`, { hint });
  };
  visit(
    text,
    {
      onError(error, _offset, _length, line, column) {
        const message = printParseErrorCode(error)
          .replace(/\B[A-Z]/g, " $&")
          .toLowerCase();
        const hint = "a configuration is JSON; comments and trailing commas are allowed";
        refuse(line, column, message, hint);
      },
      onObjectProperty(key, _offset, _length, line, column, pathAbove) {
        const path = JSON.stringify([...pathAbove(), key]);
        if (keys.has(path)) {
          refuse(line, column, `the key "${key}" stands here again`, "keep one of them");
        }
        keys.add(path);
      },
    },
    options,
  );
  const tree = parseTree(text, [], options);
  if (tree?.type !== "object") throw new ConfigError(`${file}: expected a JSON object`);
  return tree;
}

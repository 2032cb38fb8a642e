import { Script } from "node:vm";
import { Eta } from "eta";

/** Lines that a message shows before and after the one it is about. */
const around = 3;

/** What V8 says of braces that do not match, because Eta puts a template's code into a `try` block, and what it means. */
const meanings: Record<string, string> = {
  "Unexpected token 'catch'": "a { has no }",
  "Missing catch or finally after try": "a } has no {",
};

/**
 * The mistake in the JavaScript of a template, told with its line as Eta tells a failure of rendering; undefined where
 * there is none. Eta itself shows no line, but all that it made of the template.
 */
export function syntaxMistake(template: string): SyntaxError | undefined {
  // In debug mode, the lines of the tags stand in what it makes.
  const code = new Eta({ useWith: false, autoTrim: false, debug: true }).compileToString(template);
  try {
    new Script(`(it, options) => {${code}\n}`);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const [, at] = /:(\d+)\n/.exec(cause.stack ?? "") ?? [];
    const before = code.split("\n").slice(0, Number(at)).join("\n");
    const [, line = "1"] = [...before.matchAll(/^__eta\.line=(\d+)$/gm)].at(-1) ?? [];
    const reason = meanings[cause.message] ?? cause.message;
    return new SyntaxError(`line ${line}\n${excerptAt(template, Number(line))}\n\n${reason}`, {
      cause,
    });
  }
}

function excerptAt(template: string, line: number): string {
  const numbered = template.split(/\r\n|\n|\r/).map((text, at) => {
    return `${at + 1 === line ? " >> " : "    "}${at + 1}| ${text}`;
  });
  return numbered.slice(Math.max(0, line - 1 - around), line + around).join("\n");
}

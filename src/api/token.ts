import { rewriteJson } from "../lib/jsontext.ts";
import { createTokenFinder } from "../lib/spellings.ts";

/**
 * Makes the function that cuts a token out of a text in JSON, wherever the text repeats it, members' names
 * included, in every spelling of `lib/spellings.ts`: what is stored is published. The text stays valid JSON, its
 * strings stay strings; one that does not repeat the token stays as it is, byte by byte. What is no JSON is cut
 * as a plain text.
 *
 * tokenCutter("secret-token")('{"you":"secret\\u002dtoken"}') → '{"you":"[token]"}'
 */
export function tokenCutter(token: string): (text: string) => string {
  const finder = createTokenFinder(token);
  return (text) => {
    if (!finder.mayName(text)) return text;
    if (!isJson(text)) return finder.without(text);
    let found = false;
    const cut = (value: string): string => {
      const clean = finder.without(value);
      if (clean !== value) found = true;
      return clean;
    };
    const clean = rewriteJson(text, cut, { replaceName: cut });
    return found ? clean : text;
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

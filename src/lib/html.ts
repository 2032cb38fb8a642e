import type { Root, RootContent } from "hast";
import { fromParse5 } from "hast-util-from-parse5";
import { parseFragment } from "parse5";

/**
 * The nodes of a piece of HTML, as a browser without scripts reads them, but without their places in the text: to note
 * these takes as long as all the rest.
 *
 * @throws RangeError for thousands of nested elements
 */
export function nodesOfHtml(html: string): RootContent[] {
  return (fromParse5(parseFragment(html, { scriptingEnabled: false })) as Root).children;
}

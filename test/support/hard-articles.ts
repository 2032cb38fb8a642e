import type { Instead } from "../../src/demo/content.ts";

const nestedTables = `<table border=1><tr><td>Harbour<td><table><tr><th>Berth<th>Draught
<tr><td>1<td>2.4 m<tr><td>2<td>1.9 m</table><tr><td>Slip<td>dry at low water</table>`;

const unclosed = `<p>The list was typed in a hurry:
<ul><li>rope<li>lamp oil <b>(two cans)<li>biscuits</b></ul>
<p>and the cat <i>came along <b>anyway</i> as it</b> always does.
<div><p>Nobody had asked it to.`;

const oddMarkup = `<p onclick="alert('clicked')" style="position:fixed">This was pasted from a word processor.</p>
<p class="MsoNormal"><o:p>&nbsp;</o:p><font color="navy" face="Comic Sans MS">Navy blue, as requested.</font></p>
<script>document.write("<p>A script wrote this.</p>")</script>
<p><a href="javascript:void(0)">A link to nowhere</a>, <a href="">an empty one</a>, <a name="here">an anchor</a>,
<a href="#here">a jump to it</a>, <a href="mailto:editor@example.org?subject=Tides%20&amp;%20times">a letter</a>,
<a href="/view/articles/no-such-article">a broken one</a> and <a href="//example.org/plain">one without a scheme</a>.</p>
<img src="https://example.org/pictures/remote.jpg" alt="A picture from elsewhere">
<iframe src="https://example.org/embed/42" width="560" height="315"></iframe>
<p>1 < 2 && 3 > 2, &copy; 2019 &ndash; &bogus; &#x1F30A; &amp;amp; AT&T</p>`;

const scripts = `<p dir="rtl">הגאות מגיעה פעמיים ביום, והשפל מגיע אחריה. <bdi>Ottersby</bdi> היא עיירה קטנה.</p>
<p dir="rtl" lang="ar">يأتي المد مرتين في اليوم، ثم يعود البحر من حيث أتى (12:40).</p>
<p lang="ja">潮は一日に二度<ruby>満<rt>み</rt></ruby>ちて、二度引く。</p>
<p>Z\u0351a\u0321l\u0334g\u0337o, fa\u00adcing the sea; \u202eright to left\u202c; 👩🏽‍🚀 in Å\u030a; zero\u200bwidth.</p>`;

const long = "On the Tides, Fogs, Currents, Birds, Seals, Salt Pans, Lost Villages, Found Bells, ";

/** Articles within the API document and hard to render, by place in the list, latest first. */
export const hardArticles: Record<number, Instead> = {
  2: { title: 'Fish & Chips < Chips & Fish > "Peas"', slug: "fish-chips-chips-fish-peas" },
  4: { body: (usual) => usual.replace("<h2>", `${nestedTables}\n<h2>`) },
  6: { images: 45 },
  9: { synopsis: "" },
  13: {
    title: "המים שחוזרים: הגאות של Ottersby",
    slug: "hamayim",
    body: (usual) => scripts + usual,
  },
  17: { withoutImages: true },
  21: { body: (usual) => `${usual}\n${unclosed}` },
  26: {
    title: `${long.repeat(5)}and Other Matters of Interest to the General Reader`,
    slug: "on-the-tides",
  },
  31: { body: (usual) => oddMarkup + usual },
  36: { title: "Крапива, 🌿 & ortie: naïve café-crème à la Å", slug: "крапива-ortie" },
  41: { withoutImages: true, synopsis: "", body: () => "" },
  47: { title: "The notebook", slug: "the-notebook" },
  48: { title: "The notebook", slug: "the-notebook-2" },
  53: {
    slug: "con",
    title: "CON",
    synopsis: "A word that means <em>with</em>, and a file that Windows will not write.",
  },
};

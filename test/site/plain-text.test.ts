import { describe, expect, it } from "vitest";
import { readable, readableSummary } from "../../src/site/plain-text.ts";
import { closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();

describe("a title", () => {
  it.each([
    ["What&#8217;s new &amp; what isn&rsquo;t", "What’s new & what isn’t"],
    ["A&nbsp;B", "A\u00a0B"],
    ["&#x1F6A2; The ferry", "🚢 The ferry"],
    ["R&D; AT&T and &nothing;", "R&D; AT&T and &nothing;"],
    ["How to read <code> & tables", "How to read <code> & tables"],
    ["  spaces ", "spaces"],
    ["The rise <em class='x'>and</em> fall<br>of H<sub>2</sub>O", "The rise and fall of H2O"],
    ["When 3 <b and c> 4", "When 3 <b and c> 4"],
  ])("%s is read as %s", (title, text) => {
    expect(readable(title)).toBe(text);
  });

  it("stays harmless", () => {
    const title = "&lt;script&gt;alert(1)&lt;/script&gt; &#8211; x";
    const page = archiveOf({ articles: [{ id: "a", title }] }).page("articles/article-a.html");
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt; – x</h1>");
    expect(page).not.toContain("<script>alert");
  });
});

describe("a summary", () => {
  it.each([
    ["<p>One &amp; <em>two</em></p>\n<p>three</p>", "One & two three"],
    ["One<br>two", "One two"],
    ["5 < 6 and 7 > 6", "5 < 6 and 7 > 6"],
  ])("%s is read as %s", (summary, text) => {
    expect(readableSummary(summary).replace(/ +/g, " ")).toBe(text);
  });

  it.each([
    ["cut off", "The ferry ran twice a day, and on Sundays the", true],
    ["cut off with a sign", "The ferry ran twice a day, and [&hellip;]", true],
    ["with other spaces", "The  ferry ran\ntwice a day,  and on Sundays", true],
    ["of its own", "How a ferry became a school, and why", false],
    ["too short to tell", "The ferry ran", false],
  ])("that the text begins with does not stand above it: %s", (_, synopsis, isRepeated) => {
    const body = "<p>The <em>ferry</em> ran twice a day,</p><p>and on Sundays the band played.</p>";
    const page = archiveOf({ articles: [{ id: "a", synopsis, body }] }).page(
      "articles/article-a.html",
    );
    expect(page.includes('class="standfirst"')).toBe(!isRepeated);
    expect(page).toContain(
      `<meta name="description" content="${synopsis.slice(0, 9)}`.replace("  ", " "),
    );
  });
});

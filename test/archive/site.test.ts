import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { walkSorted } from "../../src/lib/files.ts";
import { type Press, startPress } from "../support/archive.ts";

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"' };

function decoded(attribute: string): string {
  return attribute
    .replace(/&#x([0-9a-f]+);/gi, (_, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    )
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => entities[name] as string);
}

/** Every URL that a page names, in any attribute that takes one. */
function* urlsOf(html: string): Generator<{ attribute: string; url: string }> {
  for (const [, attribute = "", value = ""] of html.matchAll(
    /\s(href|src|srcset|poster|cite|action|data)="([^"]*)"/g,
  )) {
    if (attribute !== "srcset") yield { attribute, url: decoded(value) };
    else
      for (const part of decoded(value).split(","))
        yield { attribute, url: part.trim().split(/\s/)[0] as string };
  }
}

describe.each(["plain", "odd"] as const)("the website of the %s origin", (personality) => {
  let press: Press;
  let root: string;
  let pages: string[];
  const html = (path: string): string => readFileSync(join(root, path), "utf8");

  beforeAll(async () => {
    press = await startPress({
      personality,
      size: { articles: 45, galleries: 6, images: 60 },
      config: { media: { formats: ["jpeg", "webp"], variants: [{ width: 320 }, { width: 640 }] } },
    });
    expect((await press.run("snapshot")).code).toBe(0);
    root = join(press.out, "public");
    pages = [...walkSorted(root)].filter((path) => path.endsWith(".html"));
  });
  afterAll(() => press.close());

  it("has no broken link: every URL of every page names a file, every fragment an element", () => {
    const ids = new Map<string, Set<string>>();
    const idsOf = (path: string): Set<string> => {
      const found =
        ids.get(path) ??
        new Set(
          [...html(path).matchAll(/\s(?:id|name)="([^"]*)"/g)].map((m) => decoded(m[1] as string)),
        );
      ids.set(path, found);
      return found;
    };
    const broken: string[] = [];
    let checked = 0;
    for (const page of pages) {
      for (const { url } of urlsOf(html(page))) {
        if (/^(?:https?|mailto|tel|data):/.test(url)) continue;
        const [path = "", fragment] = url.split("#");
        // The page for missing addresses is shown at any depth, so its links start at the root.
        const from = page === "404.html" ? "/" : `/${page}`;
        const target =
          path === ""
            ? page
            : posix.join("/", posix.resolve(posix.dirname(from), decodeURI(path))).slice(1);
        checked++;
        if (!existsSync(join(root, target))) broken.push(`${page}: ${url}`);
        else if (
          fragment &&
          target.endsWith(".html") &&
          !idsOf(target).has(decodeURIComponent(fragment))
        ) {
          broken.push(`${page}: ${url} (no such element)`);
        }
      }
    }
    expect(broken).toEqual([]);
    expect(checked).toBeGreaterThan(3000);
  });

  it("asks nothing of other hosts: only links lead there", () => {
    const fetched = pages.flatMap((page) =>
      [...urlsOf(html(page))]
        .filter(
          ({ attribute, url }) =>
            attribute !== "href" && attribute !== "cite" && /^(?:https?:)?\/\//.test(url),
        )
        .map(({ url }) => `${page}: ${url}`),
    );
    expect(fetched).toEqual([]);
    for (const page of pages) {
      expect(html(page), page).toMatch(/<meta http-equiv="content-security-policy"/i);
      // Browsers do not run JSON-LD.
      const run = html(page).replaceAll('<script type="application/ld+json">', "");
      expect(run, page).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>|\son[a-z]+=|javascript:/i);
    }
  });

  it("leads to every page, starting at the home page", () => {
    const seen = new Set(["index.html"]);
    const queue = ["index.html"];
    for (let page = queue.pop(); page !== undefined; page = queue.pop()) {
      for (const { url } of urlsOf(html(page))) {
        if (/^[a-z]+:/.test(url)) continue;
        const path = decodeURI(url.split("#")[0] as string);
        const target = posix.normalize(posix.join(posix.dirname(page), path));
        if (path === "" || !target.endsWith(".html") || seen.has(target)) continue;
        seen.add(target);
        queue.push(target);
      }
    }
    expect(pages.filter((page) => page !== "404.html" && !seen.has(page))).toEqual([]);
  });

  it("shows every article with its title and text, and every gallery", () => {
    const { articles, galleries } = press.origin.content;
    const titles = new Set(
      pages.flatMap((page) =>
        [...html(page).matchAll(/<h1[^>]*>([\s\S]*?)<\/h1>/g)].map((m) =>
          decoded((m[1] as string).replace(/<[^>]*>/g, "").trim()),
        ),
      ),
    );
    const missing = [...articles, ...galleries]
      .map((item) => item.title.trim())
      .filter((title) => title !== "" && !titles.has(title));
    expect(missing).toEqual([]);
  });

  it("has one h1, a title and a language on each page", () => {
    for (const page of pages) {
      expect(html(page).match(/<h1[\s>]/g), page).toHaveLength(1);
      expect(html(page), page).toMatch(/<html lang="en"/);
      expect(html(page), page).toMatch(/<title>[^<]+<\/title>/);
    }
  });
});

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { walkSorted } from "../../src/lib/files.ts";
import type { OutputFile } from "../../src/lib/output.ts";
import type { Remark } from "../../src/lib/reporter.ts";
import { Addresses, formerPathsIn } from "../../src/publish/addresses.ts";
import type { BuiltFile } from "../../src/publish/manifest.ts";
import type { MappedUrl } from "../../src/routes/url-map.ts";
import { startServer } from "../../src/serve/server.ts";
import { article, ids } from "../mirror/fixture.ts";
import { type Publishing, startPublishing } from "./support.ts";

describe("the former addresses of pages", () => {
  let archive: Publishing;
  beforeEach(() => {
    archive = startPublishing();
  });
  afterEach(() => archive.close());

  /** Gives the first articles these slugs; those without one are gone. */
  const rename = (...slugs: string[]): void => {
    const articles = slugs.map((slug, at) => ({ ...article(ids.articles[at] ?? "", at), slug }));
    archive.fixture.write("articles", articles);
  };
  /** Redirects but those of addresses at the origin's website. */
  const redirects = (): Record<string, string> => {
    const all = Object.entries<string>(JSON.parse(archive.read("redirects.json")));
    return Object.fromEntries(all.filter(([path]) => !path.startsWith("/view/")));
  };
  const loseBuilds = (): void => {
    for (const name of ["public", "deploy", "builds"]) {
      rmSync(join(archive.out, name), { recursive: true, force: true });
    }
  };

  it("lead to where the page is now, also from further back, and are in urlmap.json", async () => {
    for (const slug of ["a", "b", "旧灯塔"]) {
      rename(slug, "other");
      await archive.build();
    }
    const page = `articles/${encodeURIComponent("旧灯塔")}.html`;
    expect(redirects()).toEqual({ "/articles/a.html": page, "/articles/b.html": page });
    const urlmap = readFileSync(join(archive.out, "deploy/urlmap.json"), "utf8");
    const mapped = JSON.parse(urlmap) as MappedUrl[];
    const [own, ...moved] = mapped.filter(({ file }) => file === "articles/旧灯塔.html");
    expect(own).toMatchObject({ url: `/${page}` });
    const redirect = { ...own, status: 301, location: `/${page}` };
    expect(moved).toEqual(
      ["/articles/a.html", "/articles/b.html", "/view/articles/article-0"].map((url) => {
        return { ...redirect, url };
      }),
    );
  });

  it("are redirected by serve to a page in any script", async () => {
    rename("a");
    await archive.build();
    rename("旧灯塔");
    await archive.build();
    const server = await startServer({ publicRoot: join(archive.out, "public"), root: "api/v1" });
    const page = `${server.url}/articles/${encodeURIComponent("旧灯塔")}.html`;
    for (const path of ["articles/a.html", "view/articles/article-0"]) {
      const answer = await fetch(`${server.url}/${path}`);
      expect([answer.redirected, answer.status, answer.url]).toEqual([true, 200, page]);
    }
    await server.close();
  });

  it("are known where only the store was kept", async () => {
    rename("a");
    await archive.build();
    loseBuilds();
    rename("b");
    await archive.build();
    loseBuilds();
    rename("c");
    await archive.build();
    const page = "articles/c.html";
    expect(redirects()).toEqual({ "/articles/a.html": page, "/articles/b.html": page });
  });

  it("are no redirects where a page has the path again, and go with their page", async () => {
    rename("a", "x");
    await archive.build();
    rename("b", "a");
    await archive.build();
    expect(redirects()).toEqual({ "/articles/x.html": "articles/a.html" });
    rename("b", "y");
    await archive.build();
    const second = "articles/y.html";
    expect(redirects()).toEqual({ "/articles/a.html": second, "/articles/x.html": second });
    rename("b");
    await archive.build();
    expect(redirects()).toEqual({});
  });

  it("change nothing in a quiet night", async () => {
    rename("a");
    await archive.build();
    rename("b");
    await archive.build();
    const shown = archive.shown();
    const kept = join(archive.out, "store/published");
    const files = () => [...walkSorted(kept)].map((path) => readFileSync(join(kept, path), "utf8"));
    const before = files();
    expect(await archive.build()).toMatchObject({ published: false, rendered: 0 });
    expect([archive.shown(), files()]).toEqual([shown, before]);
    archive.fixture.write("videos", []);
    await archive.build();
    expect(redirects()).toEqual({ "/articles/a.html": "articles/b.html" });
    loseBuilds();
    const again = await archive.build();
    expect(again).toMatchObject({ added: 0, changed: 0, removed: 0 });
    expect(redirects()).toEqual({ "/articles/a.html": "articles/b.html" });
  });

  it("come of settings, too: every page leads from where it was", async () => {
    archive.fixture.write("tags", [{ title: "灯塔", slug: "灯塔" }]);
    rename("旧灯塔");
    await archive.build();
    const places = [
      { permalinks: "slug", paths: "ascii" },
      { permalinks: "id" },
      { permalinks: "view" },
    ];
    for (const site of places) await archive.build({ site });
    const [id = ""] = ids.articles;
    const page = "view/articles/article-0/index.html";
    const tag = `tags/${encodeURIComponent("灯塔")}`;
    expect(redirects()).toMatchObject({
      "/articles/旧灯塔.html": page,
      "/articles/jiudengta.html": page,
      [`/articles/${id}.html`]: page,
      "/tags/dengta": `${tag}/index.html`,
      "/tags/dengta/index.html": `${tag}/index.html`,
      "/tags/dengta/feed.xml": `${tag}/feed.xml`,
    });
    // There is nothing to redirect for a page that is where it was.
    expect(JSON.parse(archive.read("redirects.json"))).not.toHaveProperty([
      "/view/articles/article-0",
    ]);
    await archive.build();
    expect(redirects()).toMatchObject({
      [`/articles/${id}.html`]: `articles/${encodeURIComponent("旧灯塔")}.html`,
    });
    expect(JSON.parse(archive.read("redirects.json"))).toMatchObject({
      "/view/articles/article-0": `articles/${encodeURIComponent("旧灯塔")}.html`,
      "/view/articles/article-0/index.html": `articles/${encodeURIComponent("旧灯塔")}.html`,
    });
  });

  it("are remarked on where two pages had one, and where a page cannot keep its own", async () => {
    const view = "https://origin.test/view/articles/one";
    const [first = "", second = "", third = ""] = ids.articles;
    archive.fixture.write("articles", [
      { ...article(first, 0), links: { view } },
      { ...article(second, 1), links: { view: `${view}/` } },
      { ...article(third, 2), links: { view: "https://origin.test/?p=5" } },
    ]);
    const { remarks } = await archive.build();
    const onPages = (all: Remark[]) =>
      all.flatMap(({ subject, reason }) =>
        subject.startsWith("image ") ? [] : `${subject}: ${reason}`,
      );
    expect(onPages(remarks)).toEqual([
      "/view/articles/one: several pages had this path, which leads to the first of them",
    ]);
    expect((await archive.build()).remarks).toEqual(remarks);
    const kept = await archive.build({ site: { permalinks: "view" } });
    expect(onPages(kept.remarks)).toEqual([
      expect.stringMatching(`^articles/${second}: an older page has the path`),
      expect.stringMatching(`^articles/${third}: the path of links.view cannot be that of a file`),
    ]);
    expect(archive.read("view/articles/one/index.html")).toContain("Article 0");
    expect(archive.read("articles/article-1.html")).toContain("Article 1");
  });
});

describe("a chain of moves", () => {
  /** What a night publishes: the path of each page. */
  const night = fc.dictionary(fc.constantFrom("1", "2", "3"), fc.constantFrom("a", "b", "c", "d"));
  const unique = night.map((pages) => {
    const paths = new Set<string>();
    return Object.entries(pages).filter(([, path]) => !paths.has(path) && paths.add(path));
  });

  it("collapses, leads to living pages only, and never to a path that redirects", () => {
    fc.assert(
      fc.property(fc.array(unique, { maxLength: 8 }), (nights) => {
        let published = new Map<string, BuiltFile>();
        /** The last page that a path was that of. */
        const owners = new Map<string, string>();
        for (const pages of nights) {
          const addresses = new Addresses(formerPathsIn(published));
          const before = new Set([...published.values()].map(({ about }) => about));
          published = new Map();
          for (const [id, name] of pages) {
            const path = `articles/${name}.html`;
            const file = { path, about: `articles/${id}`, key: () => "", content: () => "" };
            const { was } = addresses.note<OutputFile>(file);
            published.set(path, { path, about: file.about, was, key: "", bytes: 0, sha256: "" });
          }
          const shown = new Map(pages.map(([id, name]) => [id, name]));
          for (const [path, owner] of owners) {
            // What left the archive takes its redirects along.
            if (!shown.has(owner)) owners.delete(path);
          }
          for (const [id, name] of pages) {
            if (!before.has(`articles/${id}`)) {
              for (const [path, owner] of owners) if (owner === id) owners.delete(path);
            }
            owners.set(name, id);
          }
          const none = { routes: { root: "api" }, viewed: () => [], hides: () => false };
          const file = addresses.redirects(none as never);
          const living = new Set<string>(pages.map(([, name]) => name));
          const expected = [...owners].filter(([path]) => !living.has(path));
          expect(JSON.parse(String(file.content()))).toEqual(
            Object.fromEntries(
              expected.map(([path, id]) => [
                `/articles/${path}.html`,
                `articles/${shown.get(id)}.html`,
              ]),
            ),
          );
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

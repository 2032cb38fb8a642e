import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { Article, Gallery, Image } from "../../../src/demo/model.ts";
import { type Press, startPress } from "../../support/archive.ts";
import { altered } from "../altered.ts";
import { articleOf, contentOf, galleryOf, imageOf, tagOf } from "../hand-made.ts";
import type { Finding } from "../scenario.ts";
import { hostileName } from "./grammar.ts";
import { faultOfPath, Places, Tally } from "./rules.ts";

/** Names that no origin on HTTP can be asked for: the steps of a path, which every client takes away. */
const unaskable = new Set([".", ".."]);

/** Presses an origin all of whose names are hostile, with the real command into a real folder. */
export async function pressHostileNames(seed: number, count: number): Promise<Finding> {
  const press = await startPress({
    origin: { content: await contentOfNames(namesOf(seed, count)), pageSize: 50 },
    config: {
      origin: { rate: { requests: 100_000, perSeconds: 1 } },
      media: { formats: ["jpeg"], variants: [] },
      crawl: { maxProblems: 0 },
    },
    size: { articles: 1, galleries: 1, images: 1 },
  });
  try {
    const { code, stderr } = await press.run("snapshot");
    const violations =
      code === 0 ? [] : [`a snapshot of them ended with ${code}: ${lastOf(stderr)}`];
    const tally = new Tally();
    const outside = readdirSync(press.folder).filter(
      (name) => !["out", "config.json"].includes(name),
    );
    for (const name of outside) tally.add("written beside the output folder", name);
    const files = checkTree(press, tally);
    const links = code === 0 ? checkLinks(press, tally) : 0;
    return {
      figures: [
        `${count.toLocaleString("en")} names pressed by the command: ${files.toLocaleString("en")} files, ` +
          `${links.toLocaleString("en")} links of the mirror followed`,
      ],
      violations: [...violations, ...tally.lines()],
    };
  } finally {
    await press.close();
  }
}

/** Names that an index can say and no address can: half a character, and the steps of a path. */
const unspeakable = ["\ud800", "a\udc00b", ".", ".."];
const others = 6;

/**
 * Presses an origin with articles of such names. Each must be a gap that is told, not the end of the run, and the
 * others must be there.
 */
export async function pressUnspeakableNames(): Promise<Finding> {
  const made = Array.from({ length: unspeakable.length + others }, (_, number) =>
    articleOf(number),
  );
  const renamed = new Map(
    unspeakable.map((name, at) => [`"${made[at]?.id}"`, JSON.stringify(name)]),
  );
  const press: Press = await startPress({
    origin: {
      content: contentOf({ articles: made }),
      intercept: altered(
        () => press.origin.baseUrl,
        (text) => text.replace(/"[0-9a-f-]{36}"/g, (id) => renamed.get(id) ?? id),
      ),
    },
    config: { origin: { rate: { requests: 100_000, perSeconds: 1 } } },
    size: { articles: 1, galleries: 1, images: 1 },
  });
  try {
    const { code, stderr } = await press.run("snapshot", "--allow-incomplete");
    const violations: string[] = [];
    if (code !== 0 && code !== 3) {
      violations.push(
        `articles that no address can name ended the run with ${code}: ${lastOf(stderr)}`,
      );
    }
    for (const { slug, id } of made.slice(unspeakable.length)) {
      const page = join(press.out, "public", "articles", `${slug}.html`);
      if (!existsSync(page)) violations.push(`article ${id} is missing beside such articles`);
    }
    return {
      figures: [`${unspeakable.length} names that no address can say: exit ${code}`],
      violations,
    };
  } finally {
    await press.close();
  }
}

function lastOf(stderr: string): string {
  return stderr.trim().split("\n").slice(-3).join(" | ").slice(0, 400);
}

/** Different hostile names that can be part of an address, and that the demo origin itself can write. */
function namesOf(seed: number, count: number): string[] {
  const names = new Set<string>();
  for (let number = 0; names.size < count; number++) {
    const { name } = hostileName(seed + 2, number);
    if (Buffer.from(name).toString() !== name || unaskable.has(name) || name.length > 1_500)
      continue;
    names.add(name);
  }
  return [...names];
}

/** One name in ten is that of a category, and so on; articles have two, an id and a slug. */
async function contentOfNames(names: readonly string[]) {
  const share = (from: number, to: number): string[] =>
    names.slice(Math.floor(names.length * from), Math.floor(names.length * to));
  const ids = share(0, 0.25);
  const slugs = share(0.25, 0.5);
  const categories = share(0.5, 0.6).map((name, order) => ({
    id: name,
    title: `Category ${name}`,
    slug: `${name}x`,
    order,
  }));
  const tags = share(0.6, 0.75).map((name) => tagOf(name.replaceAll(",", "") || "tag", name));
  // The demo origin repeats an image's id in a header, which carries no other letters.
  const imageIds = share(0.75, 0.95).filter((name) => /^[ -~\u00a0-\u00ff]+$/.test(name));
  const images: Image[] = [];
  for (const [number, id] of imageIds.entries()) images.push(await imageOf(number % 40, { id }));
  const pick = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;
  const articles: Article[] = ids.map((id, number) =>
    articleOf(number, {
      id,
      slug: pick(slugs, number),
      categoryId: pick(categories, number).id,
      tags: [pick(tags, number).slug, pick(tags, number * 7 + 1).slug],
      images: [pick(imageIds, number), pick(imageIds, number * 3 + 1)],
      body: (links) =>
        `<p><a href="${links.view("articles", pick(slugs, number + 1))}">next</a></p>`,
    }),
  );
  const galleries: Gallery[] = share(0.95, 1).map((id, number) =>
    galleryOf(number, { id, slug: pick(slugs, number), images: [pick(imageIds, number)] }),
  );
  return contentOf({ articles, galleries, images, categories, tags });
}

/** Everything below the output folder, links not followed. */
function checkTree(press: Press, tally: Tally): number {
  let files = 0;
  const visit = (folder: string, path: string): void => {
    const beside = new Places();
    for (const name of readdirSync(folder)) {
      const place = path === "" ? name : `${path}/${name}`;
      const clash = beside.take(name, name);
      if (clash !== undefined) tally.add("two names that differ in case", place);
      const kind = lstatSync(join(folder, name));
      // The published folder is a link to the build that it shows.
      const fault = path.startsWith("public") ? faultOfPath(place) : undefined;
      if (fault !== undefined) tally.add(`${fault}, written`, place);
      if (kind.isDirectory()) visit(join(folder, name), place);
      else files++;
    }
  };
  visit(press.out, "");
  return files;
}

/** Every relative link in the mirror's JSON. */
function checkLinks(press: Press, tally: Tally): number {
  const root = join(press.out, "public");
  let checked = 0;
  const follow = (value: unknown, from: string, inLinks: boolean): void => {
    if (typeof value === "string") {
      if (!inLinks || !/^\.{1,2}\//.test(value)) return;
      const [path = ""] = value.split(/[?#]/);
      const target = posix.join(posix.dirname(from), decodeURIComponent(path));
      checked++;
      if (target.startsWith("..")) tally.add("a link that leads outside", `${from}: ${value}`);
      else if (!existsSync(join(root, target))) tally.add("a broken link", `${from}: ${value}`);
      return;
    }
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      follow(member, from, inLinks || name === "links");
    }
  };
  for (const path of readdirSync(root, { recursive: true }) as string[]) {
    if (!path.startsWith("api/") || !path.endsWith(".json")) continue;
    follow(JSON.parse(readFileSync(join(root, path), "utf8")), path, false);
  }
  return checked;
}

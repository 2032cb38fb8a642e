import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Element, Root } from "hast";
import { fromParse5 } from "hast-util-from-parse5";
import { parse } from "parse5";
import type { Collection, Timed } from "../../src/demo/collection.ts";
import { elementsIn } from "../../src/site/nodes.ts";
import { type Press, startPress } from "../support/archive.ts";

/** What an editor did between two snapshots; ids of items unless it says otherwise. */
export interface EditedPress {
  press: Press;
  ids: Record<"edited" | "removed" | "hidden" | "file" | "bare" | "secret" | "holder", string>;
  read(path: string): string;
  close(): Promise<void>;
}

export const formula = '=HYPERLINK("https://evil.example","x")';

function at<T extends Timed>(items: Collection<T>, place: number): T {
  const item = items.at(place);
  if (item === undefined) throw new RangeError(`there is no item ${place}`);
  return item;
}

/** Two snapshots of an origin, and in the second all that the desk tells of. */
export async function pressEdited(): Promise<EditedPress> {
  const press = await startPress({ pressed: true, config: { crawl: { refresh: "all" } } });
  const { baseUrl, content } = press.origin;
  const { articles, images } = content;
  const [hidden, file, bare, secret] = [3, 5, 8, 10].map((place) => at(images, place).id);
  const used = new Set([hidden, secret]);
  const free = [...articles].filter((one) => !one.images.some((id) => used.has(id)));
  const [edited = "", removed = "", holder = "", ...others] = free.slice(2).map(({ id }) => id);
  const ids = { edited, removed, holder, hidden, file, bare, secret } as EditedPress["ids"];
  articles.edit(edited, { body: "<p>One two three four.</p>" });
  await run(press);
  articles.edit(edited, {
    body: `<p id="here">One two <b>3</b> four. <a href="#here">a</a> <a href="#nowhere">b</a>
      <a href="${baseUrl}/articles/00000000-aaaa-4000-8000-000000000000">c</a>
      <a href="${baseUrl}/images/${ids.hidden}.jpg?expires=99&signature=abcdef0123456789">d</a></p>`,
  });
  articles.remove(removed);
  articles.edit(holder, { images: [ids.hidden, ids.file] });
  articles.edit(others[0] ?? "", { title: formula, body: "<p> </p>" });
  articles.edit(others[1] ?? "", { title: formula });
  articles.edit(others[2] ?? "", { publishedAt: Date.now() + 864e5 });
  images.edit(ids.hidden, { private: true });
  images.edit(ids.bare, { title: "", caption: "" });
  const { read, filesize, mime, width, height } = at(images, 6);
  images.edit(ids.file, { read, filesize, mime, width, height });
  await run(press);
  return {
    press,
    ids,
    read: (path) => readFileSync(join(press.out, "review", path), "utf8"),
    close: () => press.close(),
  };
}

async function run(press: Press): Promise<void> {
  const { code, stderr } = await press.run("snapshot");
  if (code !== 0) throw new Error(`the snapshot ended with ${code}:\n${stderr}`);
}

/** All elements of a page. */
export function elementsOf(html: string): Element[] {
  return (fromParse5(parse(html)) as Root).children.flatMap((one) =>
    one.type === "element" ? [one, ...elementsIn(one)] : [],
  );
}

/** The rows of a table as RFC 4180 writes it; a text that breaks its rules throws. */
export function csvRows(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < csv.length) {
    const found = cell.exec(csv);
    if (found === null) throw new SyntaxError(`no table after ${rows.length} rows`);
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
    if (found[3] === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

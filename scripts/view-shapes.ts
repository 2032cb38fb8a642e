import { readFileSync } from "node:fs";
import { join } from "node:path";
import { walkSorted } from "../src/lib/files.ts";

export interface Member {
  /** The shape that declares it. */
  owner: string;
  name: string;
  /** As TypeScript writes it, without `undefined`. */
  type: string;
  /** Whether it may be missing. */
  optional: boolean;
  meaning: string;
}

/** An interface. */
export interface Shape {
  about: string;
  /** What it extends: a shape, or some members of one. */
  parents: { name: string; only?: string[] }[];
  members: Member[];
}

export type Shapes = Map<string, Shape>;

const folder = new URL("../src/site/", import.meta.url).pathname;
const declaration =
  /(?:\/\*\* ([^\n]*) \*\/\n)?export (?:interface (\w+)(?: extends ([^{]*))? \{\n(.*?)\n?\}|type (\w+) = (Pick<[^;]*>);)/gs;
const memberLine = /(?:\/\*\* ([^\n]*) \*\/\n *)?(\w+)(\?)?: ([^;]*);/g;
const parentText = /Pick<(\w+), ([^>]*)>|(\w+)/g;

/** The shapes of src/site/views by name, and the shape of each template. They are formatted as Biome does. */
export function readShapes(): { shapes: Shapes; templates: Map<string, string> } {
  const shapes: Shapes = new Map();
  for (const path of walkSorted(join(folder, "views"))) {
    const text = readFileSync(join(folder, "views", path), "utf8");
    for (const [, about = "", name, parents, body = "", alias, picked] of text.matchAll(
      declaration,
    )) {
      shapes.set((name ?? alias) as string, {
        about,
        parents: parentsOf(parents ?? picked ?? ""),
        members: membersIn(body, (name ?? alias) as string),
      });
    }
  }
  const index = readFileSync(join(folder, "views.ts"), "utf8");
  const rows = index.matchAll(/^ {2}"?([\w/-]+)"?: (?:\w+\.)?(\w+)/gm);
  return {
    shapes,
    templates: new Map(Array.from(rows, ([, name = "", view = ""]) => [name, view])),
  };
}

function parentsOf(text: string): Shape["parents"] {
  return Array.from(text.matchAll(parentText), ([, of, only, name]) =>
    of === undefined
      ? { name: name as string }
      : { name: of, only: Array.from((only as string).matchAll(/\w+/g), ([one]) => one) },
  );
}

function membersIn(body: string, owner: string): Member[] {
  return Array.from(body.matchAll(memberLine), ([, meaning = "", name, optional, type]) => ({
    owner,
    name: name as string,
    type: (type as string).replace(" | undefined", ""),
    optional: optional !== undefined,
    meaning,
  }));
}

/**
 * Members with those of the parents, which come first.
 *
 * @param leave a parent whose members are left out
 */
export function membersOf(shapes: Shapes, name: string, leave?: string): Member[] {
  const shape = shapes.get(name);
  if (shape === undefined) return [];
  const own = new Map<string, Member>();
  for (const parent of shape.parents) {
    if (parent.name === leave) continue;
    for (const member of membersOf(shapes, parent.name, leave)) {
      if (parent.only?.includes(member.name) !== false) own.set(member.name, member);
    }
  }
  for (const member of shape.members) own.set(member.name, member);
  return [...own.values()];
}

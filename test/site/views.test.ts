import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exampleNames, themingPage } from "../../scripts/theming-page.ts";
import { type Member, membersOf, readShapes } from "../../scripts/view-shapes.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { createFormats } from "../../src/site/formats.ts";
import { openSite, renderSite } from "../../src/site/render.ts";
import { builtInTemplates } from "../../src/site/templates.ts";
import { loadTheme } from "../../src/site/theme.ts";
import { everyShape } from "./every-shape.ts";
import { createArchive } from "./fixture.ts";

const { shapes, templates } = readShapes();
const sections = membersOf(shapes, "Sections").map(({ name }) => name);

/** What templates got, told by the templates themselves: each has a first line that keeps its data. */
const seen: [template: string, data: unknown][] = [];
const keeper = "stillpressTestSeen";
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-views-"));
  for (const path of walkSorted(builtInTemplates)) {
    if (!path.endsWith(".eta") || path.startsWith("review/")) continue;
    const name = JSON.stringify(path.slice(0, -".eta".length));
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const text = readFileSync(join(builtInTemplates, path), "utf8");
    writeFileSync(join(folder, path), `<% globalThis.${keeper}.push([${name}, it]); %>${text}`);
  }
  Object.assign(globalThis, { [keeper]: seen });
  for (const { content, settings } of everyShape) {
    const archive = createArchive(content, settings);
    const { catalogue, config } = archive;
    const theme = await loadTheme(folder, config.site);
    for (const file of renderSite(openSite({ catalogue, config }, theme))) {
      if ("content" in file) file.content();
    }
    archive.close();
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true });
  Reflect.deleteProperty(globalThis, keeper);
});

/** Members with each of their types, of which a value was seen: `Card.date: null`. */
const met = new Set<string>();

/** What is wrong with a value of a type, and notes in `met` what is right. */
function faultsOf(value: unknown, type: string, at: string): string[] {
  if (type.includes("=>")) return typeof value === "function" ? [] : [`${at} is no function`];
  const list = /^\(?(.*?)\)?\[\]$/.exec(type);
  if (list !== null) {
    if (!Array.isArray(value)) return [`${at} is no list`];
    return value.flatMap((one) => faultsOf(one, list[1] as string, at));
  }
  const choices = type.split(" | ");
  const own = choices.find((choice) => isOf(value, choice));
  if (own === undefined) return [`${at} is ${JSON.stringify(value)} and not ${type}`];
  met.add(`${at}: ${own}`);
  return shapes.has(own) ? faultsOfMembers(value as object, membersOf(shapes, own), own) : [];
}

function faultsOfMembers(value: object, members: readonly Member[], of: string): string[] {
  const entries = new Map(Object.entries(value).filter(([, one]) => one !== undefined));
  const known = new Set(members.map(({ name }) => name));
  // A partial sees all that the template around it has.
  const isPartial = of.startsWith("partials/");
  const others = isPartial ? [] : [...entries.keys()].filter((key) => !known.has(key));
  return [
    ...others.map((key) => `${of} has ${key}, which no interface names`),
    ...members.flatMap(({ owner, name, type, optional }) => {
      const at = `${owner}.${name}`;
      if (entries.has(name)) return faultsOf(entries.get(name), type, at);
      if (!optional) return [`${at} is missing in ${of}`];
      met.add(`${at}: missing`);
      return [];
    }),
  ];
}

/** The members of what a template gets. */
function membersOfTemplate(template: string): Member[] {
  const own = membersOf(shapes, templates.get(template) as string);
  if (template === "layout" || template.startsWith("partials/")) return own;
  const names = new Set(own.map(({ name }) => name));
  return [...membersOf(shapes, "Page").filter(({ name }) => !names.has(name)), ...own];
}

function isOf(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type.startsWith('"')) return value === JSON.parse(type);
  if (type === "keyof Sections") return sections.includes(String(value));
  if (type.startsWith("[")) return Array.isArray(value) && value.length === 2;
  if (type === "string" || type === "number" || type === "boolean") return typeof value === type;
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Everything that the interfaces say can be, in the words of `met`. */
function possible(): string[] {
  return [...shapes.values()].flatMap(({ members }) =>
    members.flatMap(({ owner, name, type, optional }) => {
      if (type.includes("=>")) return [];
      const choices = type.replace(/^\(?(.*?)\)?\[\]$/, "$1").split(" | ");
      if (optional) choices.push("missing");
      return choices.map((choice) => `${owner}.${name}: ${choice}`);
    }),
  );
}

describe("the data of templates", () => {
  it("is what the interfaces say, no more and no less", () => {
    const faults = seen.flatMap(([template, data]) =>
      faultsOfMembers(data as object, membersOfTemplate(template), template),
    );
    expect([...new Set(faults)]).toEqual([]);
    const rendered = new Set(seen.map(([template]) => template));
    expect([...rendered].sort()).toEqual([...templates.keys()].sort());
  });

  it("has every member and every type that the interfaces name", () => {
    expect(possible().filter((one) => !met.has(one))).toEqual([]);
  });
});

describe("docs/theming-reference.md", () => {
  it("says what the interfaces say (npm run schema)", () => {
    expect(readFileSync("docs/theming-reference.md", "utf8")).toBe(themingPage());
  });

  it("has an example for everything on `it.f`", () => {
    expect([...exampleNames].sort()).toEqual(Object.keys(createFormats("en", "UTC")).sort());
  });
});

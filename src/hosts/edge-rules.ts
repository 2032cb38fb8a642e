import { append } from "../lib/many.ts";
import type { FilterName } from "../routes/filters.ts";
import type { Endpoint } from "../routes/rules.ts";
import { type Slot, sizeChoices } from "../routes/slots.ts";
import { linkFolder, placeOf } from "../routes/table.ts";
import { filterSets, isRedirected, isUsualLink, probe, usualLinkEndings } from "./edge-requests.ts";
import type { HostInput } from "./host.ts";

/**
 * How requests are answered on hosts that go through a list of rules, of which the first that fits counts. Netlify
 * and Vercel print it; a dialect writes paths and values in the form of each.
 */
export interface EdgeRule {
  /** From the publish root, with "/" in front. */
  path: string;
  query?: Parameter[];
  /** Parameters that must not be so, for hosts that can ask for that. */
  absent?: Parameter[];
  /** File from the publish root. */
  to: string;
  /** `image`: whether there is a file at the path or not. */
  answer: "file" | "image" | "redirect" | "missing";
}

export type Parameter = [name: string, value: string];

/** What stands in a path, and what for it in the file's name. */
export type Segment = [path: string, file: string];

export interface Dialect {
  /** The archive that the rules are for. */
  input: HostInput;
  /** A text in a path, or as the value of a parameter. */
  text(text: string): string;
  /** Any value of a parameter that the API knows. */
  any(parameter: string): string;
  /** A number that is rounded to this one. */
  roundedTo(number: number): string;
  /** A side or a scale up to this one, or this one alone where numbers cannot be compared. */
  upTo(number: number, parameter: string): string[];
  /** A slash that may stand at the end of a path. */
  slash: string;
  /** An id that is its own segment; below images, it may stand together with ".jpg". */
  anyId: Segment;
  anyImage: Segment;
  /** Such an id as the value of a parameter; undefined where an id can only be a whole segment or value. */
  idIn(endpoint: Endpoint): string | undefined;
  /** A given id as the value of a parameter; undefined where it cannot be written. */
  idAs(value: string): string | undefined;
  /** Each of these segments or paths. */
  oneOf(texts: readonly string[]): Segment[];
  /** All paths with this first segment, which begins with "/". */
  below(top: string): Segment;
  /** The rules of a list's pages, from those of the first one and of any other. */
  pages(first: EdgeRule, other: EdgeRule): EdgeRule[];
  /** What stands for a page in a file's name. */
  page: string;
  /** Values of a filter and their segments, the known ones first. */
  valuesOf(name: FilterName, endpoint: Endpoint): Choice[];
  /** What further filters must not be, where these are asked for. */
  absent(names: readonly FilterName[], endpoint: Endpoint): Parameter[];
  /** Two tags in one value, and their folders; undefined where they cannot be told. */
  twoTags?: Segment;
  /** The rules for filters that leave nothing, which come behind those of the lists. */
  nothing(empty: EdgeRule, names: readonly FilterName[], endpoint: Endpoint): EdgeRule[];
  /** A segment of a filtered list's folder; undefined where the list's own path need not be answered. */
  inList(name: FilterName): string | undefined;
}

export interface Choice {
  value: string;
  segment: string;
  /** Whether the value is a single one that is not its own segment. */
  odd?: true;
}

/** The rules for `/images/{id}.jpg` by its query, and for originals, which come before files. */
export function binaryRules(dialect: Dialect): EdgeRule[] {
  return [...imageRules(dialect), ...originalRules(dialect)];
}

/** The rules for all other requests below the mirror root. */
export function listRules(dialect: Dialect): EdgeRule[] {
  const { endpoints } = dialect.input.rules;
  const rules = endpoints.flatMap((endpoint) => endpointRules(endpoint, dialect));
  return [...rules, ...linkRules(dialect)];
}

function imageRules(dialect: Dialect): EdgeRule[] {
  const { rules, names, notFound } = dialect.input;
  const folder = `${rules.root}/images`;
  const choices = imageChoices(dialect);
  const own = names.map(({ value, segment }): Segment => {
    return [dialect.text(`${encodeURIComponent(value)}.jpg`), `${segment}.jpg`];
  });
  return [...own, dialect.anyImage].flatMap(([segment, file]) =>
    choices.map(([query, slot]): EdgeRule => {
      const path = `/${dialect.text(folder)}/${segment}`;
      if (slot === undefined) return { path, query, to: notFound.api, answer: "missing" };
      const to = `${folder}/${slot === "web" ? "" : `by/${slot}/`}${file}`;
      return { path, query, to, answer: "image" };
    }),
  );
}

type ImageChoice = [query: Parameter[], slot: Slot | undefined];

/** Queries of an image and the slot for each; undefined where whatever were sent would be another picture. */
function imageChoices({ input, text, any, roundedTo, upTo }: Dialect): ImageChoice[] {
  const { slots } = input.rules;
  const box = (width: string, height: string, slot?: Slot): ImageChoice => {
    return [Object.entries({ width, height }), slot];
  };
  const boxes = [
    ...slots.boxes.map(([width, height, slot]) => box(roundedTo(width), roundedTo(height), slot)),
    box(any("width"), any("height")),
  ];
  const choices = sizeChoices<ImageChoice>(slots, boxes, (query, slot) => {
    const parameters = Object.entries(query).flatMap(([name, value]) => {
      if (typeof value === "number") return upTo(value, name).map((one): Parameter => [name, one]);
      return [[name, value === "any" ? any(name) : text(value)] satisfies Parameter];
    });
    return [parameters, slot];
  });
  return [...choices, [[], "web"]];
}

function originalRules(dialect: Dialect): EdgeRule[] {
  const { rules, originals, names } = dialect.input;
  const images = `${rules.root}/images`;
  const [usual] = originals.endings;
  if (usual === undefined) return [];
  const rule = ([path, file]: Segment, ending: string): EdgeRule => ({
    path: `/${dialect.text(images)}/${path}/download`,
    to: `${images}/by/download/${file}${ending}`,
    answer: "image",
  });
  const named = new Set(names.map(({ segment }) => segment));
  const others = new Map(originals.others.map(({ segment, ending }) => [segment, ending]));
  const own = names.map(({ value, segment }) =>
    rule([dialect.text(encodeURIComponent(value)), segment], others.get(segment) ?? usual),
  );
  const plain = [...others].filter(([segment]) => !named.has(segment));
  return [...own, ...groupedRules(plain, dialect, rule), rule(dialect.anyId, usual)];
}

/** Rules for texts with the endings of their files, as few for each ending as there can be. */
function groupedRules(
  items: readonly [text: string, ending: string][],
  dialect: Dialect,
  rule: (segment: Segment, ending: string) => EdgeRule,
): EdgeRule[] {
  const endings = [...new Set(items.map(([, ending]) => ending))];
  return endings.flatMap((wanted) => {
    const texts = items.filter(([, ending]) => ending === wanted).map(([text]) => text);
    return dialect.oneOf(texts).map((one) => rule(one, wanted));
  });
}

/** Rules for the paths of links to files: one for the usual ending below each first segment, others before. */
function linkRules(dialect: Dialect): EdgeRule[] {
  const { input } = dialect;
  const { root } = input.rules;
  const rule = ([path, file]: Segment, ending: string): EdgeRule => ({
    path: `/${dialect.text(root)}${path}${dialect.slash}`,
    to: `${linkFolder(root).slice(0, -1)}${file}/index${ending}`,
    answer: "file",
  });
  const isUsual = isUsualLink(input);
  const unusual = input.linked.files.filter((file) => !isUsual(file));
  const own = unusual
    .filter(({ path, folder }) => path !== folder)
    .map(({ written, folder, ending }) => rule([dialect.text(written), folder], ending));
  const plain = unusual
    .filter(({ path, folder }) => path === folder)
    .map(({ path, ending }): [string, string] => [path, ending]);
  const all = [...usualLinkEndings(input)].map(([top, ending]) =>
    rule(dialect.below(`/${top}`), ending),
  );
  return [...own, ...groupedRules(plain, dialect, rule), ...all];
}

/** A request for an endpoint: what its rules have in common; and with the place of its answers. */
type Asked = Required<Pick<EdgeRule, "path" | "query">>;
type Placed = Omit<EdgeRule, "answer">;

function endpointRules(endpoint: Endpoint, dialect: Dialect): EdgeRule[] {
  const { text, input } = dialect;
  const { rules, names, notFound } = input;
  const filled = (template: string, id: string): string =>
    template.split("{id}").map(text).join(id);
  const askedFor = (inPath: string, inQuery: string): Asked => ({
    path: `/${text(rules.root)}${filled(endpoint.path, inPath)}${dialect.slash}`,
    query: endpoint.query.map(([name, value]) => [name, filled(value, inQuery)]),
  });
  if (endpoint.filters.length > 0) return filterRules(endpoint, askedFor("", ""), dialect);
  const answers = (asked: Asked, place: string): EdgeRule[] =>
    answerRules(endpoint, { ...asked, to: `${rules.root}/${place}` }, dialect);
  if (!endpoint.place.includes("{id}")) return answers(askedFor("", ""), placeOf(endpoint, ""));
  const inQuery = endpoint.query.some(([, value]) => value.includes("{id}"));
  const own = names.flatMap(({ value }) => {
    const written = dialect.idAs(value);
    if (inQuery && written === undefined) return [];
    const asked = askedFor(text(encodeURIComponent(value)), written ?? "");
    return answers(asked, placeOf(endpoint, value));
  });
  const any = dialect.idIn(endpoint);
  if (any === undefined) return own;
  const [path, file] = dialect.anyId;
  // The list of all lies beside the objects, and no object is called so.
  const taken: EdgeRule[] =
    endpoint.target.route === "single"
      ? [{ ...askedFor("index", text("index")), to: notFound.api, answer: "missing" }]
      : [];
  const place = placeOf(endpoint, probe).replaceAll(probe, () => file);
  return [...own, ...taken, ...answers(askedFor(path, any), place)];
}

/** Rules for one answer, or the pages of a list; `to` is its place. */
function answerRules(endpoint: Endpoint, asked: Placed, dialect: Dialect): EdgeRule[] {
  const answer = isRedirected(endpoint, dialect.input.redirects) ? "redirect" : "file";
  const { route } = endpoint.target;
  if (route === "single") return [{ ...asked, answer }];
  const first: EdgeRule = { ...asked, to: `${asked.to}/index.json`, answer };
  if (route === "all") return [first];
  return dialect.pages(first, { ...asked, to: `${asked.to}/page/${dialect.page}.json`, answer });
}

/** Rules for each set of filters, and for none; those that have no lists are not found, whatever else is asked for. */
function filterRules(endpoint: Endpoint, { path, query }: Asked, dialect: Dialect): EdgeRule[] {
  const { rules, notFound, redirects } = dialect.input;
  const place = `${rules.root}/${placeOf(endpoint, "")}`;
  const toNone = { to: `${place}/by/none.json`, answer: redirects ? "redirect" : "file" } as const;
  const lists = (names: readonly FilterName[], own: Parameter[], folder: string): EdgeRule[] => {
    const absent = dialect.absent(names, endpoint);
    const asked = { path, query: [...query, ...own], absent, to: folder };
    return answerRules(endpoint, asked, dialect);
  };
  // Requests that were led to the path of a list that does not exist.
  const lost = (names: readonly FilterName[]): EdgeRule[] => {
    const segments = names.map((name) => dialect.inList(name));
    if (segments.includes(undefined)) return [];
    const folders = names.map((name, at) => `${name}/${segments[at]}`).join("/");
    const list = `${dialect.text(place)}/by/${folders}/index${dialect.text(".json")}`;
    return [{ path: `/${list}`, ...toNone }];
  };
  const filtered = filterSets(endpoint.filters).flatMap(({ names, combination }): EdgeRule[] => {
    const any = names.map((name): Parameter => [name, dialect.any(name)]);
    const absent = dialect.absent(names, endpoint);
    const asked = { path, query: [...query, ...any], absent };
    if (!rules.filters.includes(combination)) {
      return [{ ...asked, to: notFound.api, answer: "missing" }];
    }
    const found = choicesOf(names, endpoint, dialect).flatMap((choices) => {
      const own = choices.map(({ value }, at): Parameter => [names[at] as string, value]);
      const folders = choices.map(({ segment }, at) => `${names[at]}/${segment}`);
      return lists(names, own, [place, "by", ...folders].join("/"));
    });
    return [...found, ...dialect.nothing({ ...asked, ...toNone }, names, endpoint), ...lost(names)];
  });
  const pairs = endpoint.filters.includes("tags") && rules.filters.includes("tag+tag");
  if (pairs && dialect.twoTags !== undefined) {
    const [value, folders] = dialect.twoTags;
    append(filtered, lists(["tags"], [["tags", value]], `${place}/by/${folders}`));
    append(filtered, lost(["tags", "tags"]));
  }
  return [...filtered, ...lists([], [], place)];
}

/** Each way in which the values of filters are told. */
function choicesOf(names: readonly FilterName[], endpoint: Endpoint, dialect: Dialect): Choice[][] {
  let found: Choice[][] = [[]];
  for (const name of names) {
    const choices = dialect.valuesOf(name, endpoint);
    // Two odd values at once are left out: there would be too many rules.
    found = found.flatMap((before) =>
      choices
        .filter((choice) => !choice.odd || before.every(({ odd }) => !odd))
        .map((choice) => [...before, choice]),
    );
  }
  return found;
}
